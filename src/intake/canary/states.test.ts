import { expect, it } from 'vitest';
import type { IntakeConfig, IntakeRule } from '../../config/types.ts';
import type { CanaryRow } from '../../db/entities/index.ts';
import { canaryStates } from './states.ts';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 10, 23);
const LONG_AGO = NOW - 1000 * MINUTE;

const CONFIG = {
  canary: { everyMs: 10 * MINUTE, withinMs: 5 * MINUTE, alertType: null },
  rules: [
    { name: 'others', isCanary: false, canaryWithinMs: 1 },
    { name: 'watchdog', isCanary: true, canaryWithinMs: 15 * MINUTE },
  ] as IntakeRule[],
} as Pick<IntakeConfig, 'canary' | 'rules'> as IntakeConfig;

const row = (more: Partial<CanaryRow>): CanaryRow => ({
  source: 'canary',
  rule: '',
  arrivedAt: null,
  sessionId: null,
  completedAt: null,
  durationMs: null,
  error: null,
  ...more,
});
const minutesAgo = (minutes: number) => new Date(NOW - minutes * MINUTE);
const errors = (rows: CanaryRow[], startedAt = LONG_AGO) =>
  canaryStates(CONFIG, rows, startedAt, NOW).map(({ source, rule, error }) => [source, rule, error]);

it('reports nothing without canaries', () => {
  expect(canaryStates({ ...CONFIG, canary: null, rules: [] }, [row({})], LONG_AGO, NOW)).toEqual([]);
});

it('a new process has the full time until its first heartbeat', () => {
  expect(errors([], NOW - 15 * MINUTE)).toEqual([
    ['canary', null, null],
    [null, 'watchdog', null],
  ]);
  expect(errors([], NOW - 15 * MINUTE - 1)).toEqual([
    ['canary', null, 'No canary investigation completed for 15 min.'],
    [null, 'watchdog', 'No canary of the rule "watchdog" received for 15 min. None received yet.'],
  ]);
});

it('heartbeats are healthy as long as they arrive and are investigated', () => {
  const rows = [
    row({ completedAt: minutesAgo(15), arrivedAt: minutesAgo(16), durationMs: 7 }),
    row({ source: 'eu', rule: 'watchdog', arrivedAt: minutesAgo(15) }),
    row({ source: 'us', rule: 'watchdog', arrivedAt: minutesAgo(16) }),
  ];
  expect(canaryStates(CONFIG, rows, LONG_AGO, NOW)).toEqual([
    {
      ...{ source: 'canary', rule: null, healthy: true, everyMs: 10 * MINUTE, error: null },
      ...{ arrivedAt: minutesAgo(16), completedAt: minutesAgo(15), durationMs: 7 },
    },
    {
      ...{ source: 'eu', rule: 'watchdog', healthy: true, everyMs: 15 * MINUTE, error: null },
      ...{ arrivedAt: minutesAgo(15), completedAt: null, durationMs: null },
    },
    expect.objectContaining({
      source: 'us',
      healthy: false,
      error: 'No canary of the rule "watchdog" received for 15 min. Last received 16 min ago.',
    }),
  ]);
});

it('a canary with a failed investigation is reported at once', () => {
  const [state] = canaryStates(CONFIG, [row({ completedAt: minutesAgo(1), error: 'No tool.' })], NOW, NOW);
  expect(state).toMatchObject({ healthy: false, error: 'No tool.' });
});
