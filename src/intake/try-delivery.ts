import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { pino } from 'pino';
import { parseCommand, renderHelp } from '../common/command-help.ts';
import { errorMessage } from '../common/error-message.ts';
import { sanitize } from '../common/printable.ts';
import type { EnvironmentRecord } from '../config/env.ts';
import { loadConfig } from '../config/load.ts';
import type { SourceConfig } from '../config/types.ts';
import { worstSeverity } from '../engine/alert/severity.ts';
import { createMasking } from '../masking/masking.ts';
import { decide } from './decide.ts';
import type { ParsedDelivery } from './delivery.ts';
import { formatDuration } from './duration-text.ts';
import { DeliveryRefusedError } from './errors.ts';
import { groupDocument } from './group-document.ts';
import { groupTitle } from './locked-group.ts';
import { maskAndRule } from './mask-alerts.ts';
import { createFindRuling, strongestRuling } from './rules.ts';
import { parseDelivery } from './sources/index.ts';
import { startOf } from './store/alerts.ts';
import { INTAKE_TRY } from './try-help.ts';
import { DELIVERY_MAX_BYTES } from './tunables.ts';

interface Io {
  stdin: AsyncIterable<Buffer | string>;
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
}

/** @returns the exit code: 0 if readable, 1 if the delivery would be refused, 2 for wrong usage or unreadable file */
export async function tryDelivery(
  args: readonly string[],
  options: { configDir: string; env: EnvironmentRecord; io: Io },
): Promise<number> {
  const { io } = options;
  const given = argumentsOf(args);
  if (given?.help) {
    io.stdout.write(renderHelp(INTAKE_TRY));
    return 0;
  }
  const { name, file, headers = null } = given ?? {};
  const config = await loadConfig({ dir: options.configDir, env: options.env });
  const source = config.intake.sources[name ?? ''];
  if (file === undefined || headers === null || source === undefined) {
    const known = Object.keys(config.intake.sources).join(', ') || 'none';
    if (name !== undefined && source === undefined)
      io.stderr.write(
        `No source is named "${name}" in ${options.configDir}. Configured sources: ${known}.\n\n`,
      );
    io.stderr.write(renderHelp(INTAKE_TRY));
    return 2;
  }
  let body: Buffer;
  try {
    body = file === '-' ? await buffer(io.stdin) : await readFile(file);
  } catch (error) {
    io.stderr.write(`Cannot read ${file}: ${errorMessage(error)}\n`);
    return 2;
  }
  try {
    if (body.length > DELIVERY_MAX_BYTES)
      throw new DeliveryRefusedError(
        'DELIVERY_TOO_LARGE',
        `The delivery has more than ${DELIVERY_MAX_BYTES} bytes.`,
      );
    const parsed = parseDelivery({ body, headers, query: new URLSearchParams() }, source);
    const masking = createMasking(config, pino({ enabled: false }));
    const findRuling = createFindRuling(config.intake);
    const ruled = maskAndRule({ masking, findRuling }, parsed.alerts, source);
    io.stdout.write(`${sanitize(describe(parsed, source, ruled).join('\n'))}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof DeliveryRefusedError)) throw error;
    io.stderr.write(`Refused (${error.status} ${error.code}): ${sanitize(error.message)}\n`);
    return 1;
  }
}

interface Arguments {
  help: boolean;
  name?: string;
  file?: string;
  headers: Record<string, string>;
}

/** Returns the arguments of a command line; `null` if there are too many, an unknown one or a wrong header. */
function argumentsOf(args: readonly string[]): Arguments | null {
  try {
    const { values, positionals } = parseCommand(INTAKE_TRY, args);
    const [name, file, ...more] = positionals;
    const headers = (values.header ?? []).map((header) => /^([\w-]+):\s*(.*)$/.exec(header));
    if (more.length > 0 || !headers.every((header) => header !== null)) return null;
    const entries = headers.map(([, header, value]) => [header!.toLowerCase(), value!]);
    return {
      help: values.help === true,
      headers: Object.fromEntries(entries),
      ...(name && { name }),
      ...(file && { file }),
    };
  } catch {
    return null; // an unknown option
  }
}

type Ruled = ReturnType<typeof maskAndRule>[number];

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
  const alerts = members.map(({ alert, ruling }) => ({
    ...alert,
    severity: ruling.severity,
    startsAt: startOf(alert, now),
  }));
  const document = groupDocument({
    title: groupTitle(alerts)!,
    severity: worstSeverity(members.map(({ ruling }) => ruling.severity)),
    source: source.name,
    alerts,
  });
  return [
    `Group: ${key}`,
    decisionText(members, now),
    `Rule: ${[...new Set(members.map(({ ruling }) => ruling.rule ?? 'none'))].join(', ')}`,
    ...members.map(
      ({ alert, ruling }) => `Alert: ${alert.state} ${ruling.severity} ${alert.fingerprint} ${alert.title}`,
    ),
    '',
    document,
  ];
}

/** Returns the decision about a group as if the group were new, and how long its session would wait. */
function decisionText(members: readonly Ruled[], now: Date): string {
  const firing = members.filter(({ alert }) => alert.state === 'FIRING');
  const ruling = strongestRuling(members.map((each) => ({ state: each.alert.state, ruling: each.ruling })));
  const isExcluded = firing.length > 0 && firing.every((each) => each.ruling.isExcluded);
  const { outcome, reason } = decide({
    now: now.getTime(),
    firing: firing.length,
    alerts: members.length,
    severity: worstSeverity((firing.length > 0 ? firing : members).map((each) => each.ruling.severity)),
    critical: [],
    hasChanges: true,
    lastReceivedAt: null,
    startedAt: Math.min(...members.map(({ alert }) => startOf(alert, now).getTime())),
    canary: ruling.isCanary ? (ruling.rule ?? '') : null,
    excludedBy: isExcluded ? (firing[0]!.ruling.rule ?? 'a rule') : null,
    silence: null,
    last: null,
    flaps: 0,
    reinvestigateAfterMs: ruling.reinvestigateAfterMs,
  });
  const decision = `Decision: ${outcome}. ${reason}`;
  if (outcome !== 'INVESTIGATED' || ruling.groupWaitMs === 0) return decision;
  return `${decision} The investigation would wait ${formatDuration(ruling.groupWaitMs)} for more alerts of the group.`;
}
