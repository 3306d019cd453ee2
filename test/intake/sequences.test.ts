import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SourceType } from '../../src/config/enums.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { emptyIntake, openTestPool, passTime } from '../helpers/deliveries.ts';
import { randomFrom } from '../helpers/random.ts';
import { sendAs, sourcesOfSenders } from './send-as.ts';
import { SENDERS } from './senders.ts';

/** Types whose senders report the end of an alert, and the time of each report. */
const TYPES = (Object.keys(SENDERS) as SourceType[]).filter(
  (type) => !SENDERS[type].neverEnds && !SENDERS[type].tellsNoTime,
);
const RESOURCES = ['db-03', 'db-04'] as const;
const STEPS = 12;
const HOUR_S = 3_600;

/** Senders that may fire again with an old start, so that a late report may open a closed group. */
const REUSING: readonly SourceType[] = ['alertmanager', 'grafana'];

let app: TestApp;
let pool: pg.Pool;
beforeAll(async () => {
  app = await startTestApp({ role: 'api', intake: { sources: sourcesOfSenders() } });
  pool = openTestPool(app.database.url);
});
afterAll(async () => {
  await pool.end();
  await app.stop();
});
beforeEach(() => emptyIntake(pool));

const rows = async (sql: string, values: unknown[] = []) =>
  (await pool.query(sql, values)).rows as Record<string, unknown>[];

/** A report of a sender, with times in seconds since the start of the sequence. */
interface Report {
  id: string;
  number: number;
  period: number;
  since: number;
  until: number | null;
  at: number;
}

/**
 * Creates a sender whose clock is off by `offsetS` (s). Instead of waiting, it moves everything received into
 * the past.
 */
function createSender(type: SourceType, offsetS: number) {
  let start = Date.now();
  let now = 0;
  const latest = new Map<string, Report>();
  let number = 0;
  const written = (seconds: number) => new Date(start + (seconds + offsetS) * 1_000).toISOString();
  const sent = new Set<number>();
  return {
    async pass(seconds: number) {
      now += seconds;
      start -= seconds * 1_000;
      await passTime(pool, seconds);
    },
    /**
     * Changes an alert: one that fires is resolved, any other fires. Returns the report of the change without
     * sending it.
     */
    turn(id: string): Report {
      const before = latest.get(id);
      number++;
      const report =
        before && before.until === null
          ? { ...before, number, until: now, at: now }
          : { id, number, period: (before?.period ?? 0) + 1, since: now, until: null, at: now };
      latest.set(id, report);
      return report;
    },
    fires: (id: string) => latest.get(id)?.until === null,
    isKnown: (id: string) => sent.has(latest.get(id)?.number ?? -1),
    async send({ id, number: report, period, since, until, at }: Report) {
      const told = {
        ...{ id, isOver: until !== null, period: `${id}-${period}`, report: String(report) },
        ...{ since: written(since), at: written(at), ...(until !== null && { until: written(until) }) },
      };
      expect(await sendAs(type, { url: app.url, payload: SENDERS[type].alert(told) })).toBe(202);
      sent.add(report);
    },
  };
}
type Sender = ReturnType<typeof createSender>;

const FINGERPRINTS = `select a.state, a.labels::text || a.fingerprint || a.title as known_by, g.state as of_group,
  g.resolved_at, g.session_id, g.last_outcome from alerts a join alert_groups g on g.id = a.group_id`;

/** Asserts that each firing alert is open and has a session, or a reason for having none. */
async function expectNothingLost(): Promise<void> {
  for (const alert of await rows(`${FINGERPRINTS} where a.state = 'FIRING'`)) {
    expect(alert).toMatchObject({ of_group: 'FIRING', resolved_at: null, last_outcome: expect.any(String) });
    if (['INVESTIGATED', 'JOINED', 'STORM'].includes(String(alert.last_outcome)))
      expect(alert.session_id).not.toBeNull();
  }
  expect(
    await rows(`select 1 from intake_decisions where reason = '' or alert_id is null and code is null`),
  ).toEqual([]);
}

/** Asserts that each alert that fires at the sender is open in TARSy, once its last report has arrived. */
async function expectOpen(sender: Sender): Promise<void> {
  for (const id of RESOURCES)
    if (sender.fires(id) && sender.isKnown(id))
      expect(
        await rows(`${FINGERPRINTS} where a.state = 'FIRING' and a.labels::text || a.fingerprint like $1`, [
          `%${id}%`,
        ]),
      ).not.toEqual([]);
}

const decisions = async () => (await rows('select 1 from intake_decisions')).length;

const CLOCKS = [0, 3 * HOUR_S, -3 * HOUR_S];

test.each(TYPES.flatMap((type) => CLOCKS.map((offset, seed) => [type, offset, seed] as const)))(
  '%s, its clock off by %i s: no alert that fires is without session or reason, or closed (seed %i)',
  async (type, offset, seed) => {
    const next = randomFrom(seed * 31 + TYPES.indexOf(type));
    const random = (limit: number) => Math.floor(next() * limit);
    const sender = createSender(type, offset);
    const late: Report[] = [];
    for (let step = 0; step < STEPS; step++) {
      await sender.pass(20 + random(60));
      const report = sender.turn(RESOURCES[random(2)]!);
      if (random(3) === 0) late.push(report);
      else await sender.send(report);
      if (random(3) === 0) await sender.send(report); // a repeated report
      if (random(2) === 0 && late.length > 0) await sender.send(late.splice(random(late.length), 1)[0]!);
      await expectNothingLost();
      await expectOpen(sender);
    }
    for (const report of late) await sender.send(report);
    await expectNothingLost();
    await expectOpen(sender);
  },
  120_000,
);

test.each(TYPES)(
  '%s: one resource is over while the other fires, fires again, and hears of its past',
  async (type) => {
    const sender = createSender(type, 0);
    const [one, other] = RESOURCES;
    const fired = sender.turn(one);
    await sender.send(fired);
    await sender.send(sender.turn(other));
    await sender.pass(60);
    const over = sender.turn(one);
    await sender.send(over);
    expect(await decisions()).toBe(3);
    await expectOpen(sender);
    expect((await rows(`select 1 from alerts where state = 'FIRING'`)).length).toBe(1);
    await sender.pass(60);
    await sender.send({ ...fired, number: 100 }); // a report that arrives late
    const isOpen = (await rows(`select 1 from alerts where state = 'FIRING'`)).length === 2;
    expect(isOpen).toBe(REUSING.includes(type));
    await sender.pass(60);
    const again = sender.turn(one);
    await sender.send(again);
    expect((await rows(`select 1 from alerts where state = 'FIRING'`)).length).toBe(2);
    await sender.send({ ...over, number: 101 }); // a report that arrives late
    expect((await rows(`select 1 from alerts where state = 'FIRING'`)).length).toBe(2);
    await expectNothingLost();
    expect(await decisions()).toBe(6);
  },
);
