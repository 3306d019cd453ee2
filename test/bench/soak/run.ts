import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../report.ts';
import { runClients, type Seen } from './load.ts';
import { isCalm, KEPT_DAYS, OPTIONS } from './options.ts';
import { type Parts, startParts } from './parts.ts';
import { cleanUp, openWork, passDay, type Readings, readAll } from './readings.ts';

/**
 * Runs simulated hours with alerts, investigations, watchers, silences, a budget and an outage each, and shows whether
 * memory, files, connections, rows and latencies stay the same. `npm run bench:soak` starts it; `options.ts` has the
 * sizes.
 */

/** Time for the work of an hour to end after its outage (s), and for a cleanup. */
const END_S = 240;

interface Outage {
  name: string;
  begin(parts: Parts): unknown;
  end(parts: Parts): unknown;
}

/** One of them in each hour except the first and the last, which are compared. */
const OUTAGES: readonly Outage[] = [
  { name: 'model killed', begin: ({ model }) => model.kill(), end: ({ model }) => model.start() },
  { name: 'database refuses', begin: ({ database }) => database.set('refuse'), end: letPass },
  {
    name: 'worker killed',
    begin: ({ workers }) => workers[1]!.kill(),
    end: ({ workers }) => workers[1]!.start(),
  },
  { name: 'tool server away', begin: ({ mcp }) => mcp.kill(), end: ({ mcp }) => mcp.start() },
  { name: 'API killed', begin: ({ apis }) => apis[1]!.kill(), end: ({ apis }) => apis[1]!.start() },
  { name: 'database silent', begin: ({ database }) => database.set('dead'), end: letPass },
  {
    name: 'receiver answers 503',
    begin: ({ receiver }) => Object.assign(receiver, { mode: 'refuse' }),
    end: ({ receiver }) => Object.assign(receiver, { mode: 'answer' }),
  },
  {
    name: 'worker frozen',
    begin: ({ workers }) => workers[1]!.signal('SIGSTOP'),
    end: ({ workers }) => workers[1]!.signal('SIGCONT'),
  },
  { name: 'connections cut', begin: ({ database }) => database.set('cut'), end: letPass },
  {
    name: 'receiver hangs',
    begin: ({ receiver }) => Object.assign(receiver, { mode: 'hang' }),
    end: ({ receiver }) => Object.assign(receiver, { mode: 'answer' }),
  },
  { name: 'database holds data back', begin: ({ database }) => database.set('held'), end: letPass },
];

function letPass({ database }: Parts): Promise<void> {
  return database.set('pass');
}

interface Hour extends Readings {
  outage: string;
  accepted: number;
  sessions: number;
  watched: number;
  deliveryP99Ms: number;
  readP99Ms: number;
  sessionP50Ms: number;
  sessionP99Ms: number;
  repeated: number;
  settledS: number;
}

const hours: Hour[] = [];
const problems: string[] = [];
const parts = await startParts();
try {
  for (let hour = 1; hour <= OPTIONS.hours; hour += 1) await runHour(hour);
} finally {
  await parts.stop();
}
show();
process.exitCode = problems.length > 0 ? 1 : 0;

async function runHour(number: number): Promise<void> {
  const outage = isCalm(number) ? null : OUTAGES[(number - 2) % OUTAGES.length]!;
  const begun = new Date();
  const [seen] = await Promise.all([runClients(parts.apis, number), outage && disturb(outage)]);
  const ended = performance.now();
  await waitFor(async () => (await openWork(parts.sql)).length === 0, `hour ${number}`);
  const settledS = Math.round((performance.now() - ended) / 1000);
  const { rows } = await parts.sql.query<{ ms: number; status: string }>(
    `select status, extract(epoch from completed_at - created_at) * 1000 as ms from alert_sessions
     where created_at >= $1`,
    [begun],
  );
  await compare(number, seen, rows);
  await passDay(parts.sql);
  await cleanUp(parts.sql, (isDone) => waitFor(isDone, `cleanup of hour ${number}`));
  const durations = rows.map(({ ms }) => Number(ms));
  const hour: Hour = {
    ...{ outage: outage?.name ?? 'none', accepted: seen.alerts.size, sessions: rows.length },
    ...{ watched: seen.watched, repeated: seen.repeated, settledS },
    deliveryP99Ms: Math.round(percentile(seen.deliveryMs, 0.99)),
    readP99Ms: Math.round(percentile(seen.readMs, 0.99)),
    sessionP50Ms: Math.round(percentile(durations, 0.5)),
    sessionP99Ms: Math.round(percentile(durations, 0.99)),
    ...(await readAll(parts)),
  };
  hours.push(hour);
  process.stdout.write(`${JSON.stringify({ hour: number, ...hour })}\n`);
}

/** Lets the outage take the middle fifth of the hour. */
async function disturb({ begin, end }: Outage): Promise<void> {
  await delay(OPTIONS.hourS * 400);
  await begin(parts);
  await delay(OPTIONS.hourS * 200);
  await end(parts);
}

/** Compares what was accepted with what is stored and was told. */
async function compare(number: number, seen: Seen, sessions: readonly { status: string }[]): Promise<void> {
  if (seen.problem !== null) problems.push(`hour ${number}: ${seen.problem}`);
  const { rows } = await parts.sql.query<{ fingerprint: string }>(
    'select fingerprint from alerts where fingerprint like $1',
    [`f-${number}-%`],
  );
  const stored = new Set(rows.map(({ fingerprint }) => fingerprint));
  const lost = [...seen.alerts].filter((fingerprint) => !stored.has(fingerprint));
  if (lost.length > 0) problems.push(`hour ${number}: ${lost.length} accepted alerts are not stored`);
  const { rows: groups } = await parts.sql.query<{ n: number }>(
    `select count(*)::int as n from alert_groups where group_key like $1 and session_id is null and last_outcome <> 'SILENCED'`,
    [`%g-${number}-%`],
  );
  if (groups[0]!.n > 0) problems.push(`hour ${number}: ${groups[0]!.n} groups without an investigation`);
  const bad = sessions.filter(({ status }) => status !== 'COMPLETED').map(({ status }) => status);
  if (bad.length > 0) problems.push(`hour ${number}: sessions that did not complete: ${bad.join(', ')}`);
  const { rows: notices } = await parts.sql.query<{ id: string }>(
    `select id from notification_deliveries where status <> 'PENDING'`,
  );
  const untold = notices.filter(({ id }) => !parts.receiver.ids.has(id));
  if (untold.length > 0) problems.push(`hour ${number}: ${untold.length} notifications did not arrive`);
}

async function waitFor(isDone: () => Promise<boolean>, what: string): Promise<void> {
  const until = performance.now() + END_S * 1000;
  while (!(await isDone())) {
    if (performance.now() > until) {
      problems.push(`${what} did not end: ${(await openWork(parts.sql)).join(', ')}`);
      return;
    }
    await delay(500);
  }
}

function show(): void {
  console.table(
    hours.map(({ memoryMiB, files, ...hour }) => ({
      ...hour,
      'MiB a1 a2 w1 w2': Object.values(memoryMiB).join(' '),
      'files a1 a2 w1 w2': Object.values(files).join(' '),
    })),
  );
  const [first, last] = [hours[Math.min(KEPT_DAYS, hours.length - 1)]!, hours.at(-1)!];
  process.stdout.write(
    `From hour ${Math.min(KEPT_DAYS + 1, hours.length)}, in which the first cleanup found something, to the last: rows ${first.rows} to ${last.rows}, ` +
      `database ${first.databaseMiB} to ${last.databaseMiB} MiB.\n`,
  );
  process.stdout.write(problems.length === 0 ? 'Nothing was lost.\n' : `${problems.join('\n')}\n`);
}
