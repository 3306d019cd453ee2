import { readFile } from 'node:fs/promises';
import { pino } from 'pino';
import { errorMessage } from '../common/error-message.ts';
import { sanitize } from '../common/printable.ts';
import type { EnvironmentRecord } from '../config/env.ts';
import { loadConfig } from '../config/load.ts';
import type { SourceConfig } from '../config/types.ts';
import { worstSeverity } from '../engine/alert/severity.ts';
import { createMasking, type Masking } from '../masking/masking.ts';
import { decide } from './decide.ts';
import type { Delivery, IncomingAlert, ParsedDelivery } from './delivery.ts';
import { formatDuration } from './duration-text.ts';
import { DeliveryRefusedError } from './errors.ts';
import { groupDocument } from './group-document.ts';
import { createMaskedKeys, maskAlerts } from './mask-alerts.ts';
import { strongestRuling } from './process-delivery.ts';
import { createFindRuling, type Ruling } from './rules.ts';
import { parseDelivery } from './sources/index.ts';
import { DELIVERY_MAX_BYTES } from './tunables.ts';

const USAGE = `Usage: npm run intake:try -- <source> <file|->

Shows what a delivery becomes: its alerts, how they are grouped, which rule goes for them, what would
be decided if nothing of them were known, and the text that agents get. Nothing is stored, and no proof is asked
for. <source> is a name under intake.sources; - is standard input.
`;

interface Io {
  stdin: AsyncIterable<Buffer | string>;
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
}

/** @returns the exit code: 0 if readable, 1 if the delivery would be refused, 2 for wrong usage */
export async function tryDelivery(
  args: readonly string[],
  options: { configDir: string; env: EnvironmentRecord; io: Io },
): Promise<number> {
  const { io } = options;
  if (args.includes('--help') || args.includes('-h')) {
    io.stdout.write(USAGE);
    return 0;
  }
  const [name, file, ...more] = args;
  const config = await loadConfig({ dir: options.configDir, env: options.env });
  const source = name === undefined ? undefined : config.intake.sources[name];
  if (file === undefined || more.length > 0 || source === undefined) {
    const known = Object.keys(config.intake.sources).join(', ') || 'none';
    const problem =
      name !== undefined && source === undefined
        ? `No source is named "${name}"; there are: ${known}.\n\n`
        : '';
    io.stderr.write(`${problem}${USAGE}`);
    return 2;
  }
  let body: Buffer;
  try {
    body = file === '-' ? await readAll(io.stdin) : await readFile(file);
  } catch (error) {
    io.stderr.write(`Cannot read ${file}: ${errorMessage(error)}\n`);
    return 2;
  }
  try {
    const parsed = read(body, source);
    const masking = createMasking(config, pino({ enabled: false }));
    const ruled = ruledAlerts(parsed.alerts, source, createFindRuling(config.intake), masking);
    io.stdout.write(`${sanitize(describe(parsed, source, ruled).join('\n'))}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof DeliveryRefusedError)) throw error;
    io.stderr.write(`Refused (${error.status} ${error.code}): ${sanitize(error.message)}\n`);
    return 1;
  }
}

function read(body: Buffer, source: SourceConfig): ParsedDelivery {
  if (body.length > DELIVERY_MAX_BYTES)
    throw new DeliveryRefusedError('DELIVERY_TOO_LARGE', `It has more than ${DELIVERY_MAX_BYTES} bytes.`);
  const delivery: Delivery = { body, headers: {}, query: new URLSearchParams() };
  return parseDelivery(delivery, source);
}

interface Ruled {
  alert: IncomingAlert;
  ruling: Ruling;
}

/** Masks alerts and finds their rulings, as for a delivery. */
function ruledAlerts(
  alerts: readonly IncomingAlert[],
  source: SourceConfig,
  findRuling: ReturnType<typeof createFindRuling>,
  masking: Masking,
): Ruled[] {
  const rulings = alerts.map((alert) => findRuling(alert, source));
  const keyed = createMaskedKeys(
    masking,
    rulings.map(({ groupKey }) => groupKey),
  );
  return maskAlerts(masking, alerts).map((alert, index) => {
    const ruling = rulings[index]!;
    return { alert, ruling: { ...ruling, groupKey: keyed(ruling.groupKey) } };
  });
}

function describe(parsed: ParsedDelivery, source: SourceConfig, ruled: readonly Ruled[]): string[] {
  const groups = Map.groupBy(ruled, ({ ruling }) => ruling.groupKey);
  return [
    ...(parsed.ignored === null ? [] : [parsed.ignored]),
    ...parsed.notes,
    ...(parsed.deliveryKey === null ? [] : [`Delivery key: ${parsed.deliveryKey}`]),
    ...[...groups].flatMap(([key, members]) => ['', ...describeGroup(key, members, source)]),
  ];
}

function describeGroup(key: string, members: readonly Ruled[], source: SourceConfig): string[] {
  const now = new Date();
  const [first] = members;
  const document = groupDocument({
    title: first!.alert.title,
    severity: worstSeverity(members.map(({ ruling }) => ruling.severity)),
    source: source.name,
    alerts: members.map(({ alert, ruling }) => ({
      ...alert,
      severity: ruling.severity,
      startsAt: alert.startsAt ?? alert.endsAt ?? now,
    })),
  });
  return [
    `Group: ${key}`,
    ...decided(members, now),
    `Rule: ${[...new Set(members.map(({ ruling }) => ruling.rule ?? 'none'))].join(', ')}`,
    ...members.map(
      ({ alert, ruling }) => `Alert: ${alert.state} ${ruling.severity} ${alert.fingerprint} ${alert.title}`,
    ),
    '',
    document,
  ];
}

/** Returns what would be decided about an unknown group, and how long its investigation would wait. */
function decided(members: readonly Ruled[], now: Date): string[] {
  const firing = members.filter(({ alert }) => alert.state === 'FIRING');
  const ruling = strongestRuling(
    members.map(({ alert, ruling: own }) => ({ state: alert.state, ruling: own })),
  );
  const isExcluded = firing.length > 0 && firing.every((each) => each.ruling.isExcluded);
  const { outcome, reason } = decide({
    now: now.getTime(),
    firing: firing.length,
    alerts: members.length,
    severity: worstSeverity((firing.length > 0 ? firing : members).map((each) => each.ruling.severity)),
    critical: [],
    hasChanges: true,
    lastReceivedAt: null,
    openedAt: Math.min(...members.map(({ alert }) => (alert.startsAt ?? alert.endsAt ?? now).getTime())),
    canary: ruling.isCanary ? (ruling.rule ?? '') : null,
    excludedBy: isExcluded ? (firing[0]!.ruling.rule ?? 'a rule') : null,
    silence: null,
    last: null,
    flaps: 0,
    reinvestigateAfterMs: ruling.reinvestigateAfterMs,
  });
  const waits = outcome === 'INVESTIGATED' && ruling.groupWaitMs > 0;
  const wait = waits
    ? ` It would wait ${formatDuration(ruling.groupWaitMs)} for more alerts of its group.`
    : '';
  return [`Decision: ${outcome}. ${reason}${wait}`];
}

async function readAll(stdin: AsyncIterable<Buffer | string>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stdin) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}
