import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ORCHESTRATED } from '../helpers/orchestrated.ts';
import type { ScriptedLlm } from '../helpers/scripted-llm/index.ts';
import { ANSWER_CONFIG, answer, scriptAnswer } from './answer.ts';
import { APPROVALS_CONFIG, approvals, scriptApprovals } from './approvals.ts';
import { DISTURBANCES } from './disturbances.ts';
import { EVERY } from './gate.ts';
import { INVESTIGATION_CONFIG, investigation, scriptInvestigation } from './investigation.ts';
import { type Lane, openLanes } from './lane.ts';
import { orchestrated, scriptOrchestrated } from './orchestrated.ts';
import { type Story, SWEEP_LIMIT_MS, sweep } from './sweep.ts';

/**
 * Runs an investigation, and an answer to a question, repeatedly. Each run disturbs the worker or the
 * database at the k-th write, for every CRASH_EVERY-th k, until a run finishes undisturbed. Nothing may be
 * lost or happen twice.
 */
let lanes: Lane[] = [];
afterAll(() => Promise.all(lanes.map((lane) => lane.stop())));

async function open(
  options: Parameters<typeof openLanes>[0],
  script: (llm: ScriptedLlm) => void,
): Promise<void> {
  await Promise.all(lanes.splice(0).map((lane) => lane.stop()));
  lanes = await openLanes(options);
  for (const { cluster } of lanes) script(cluster.llm);
}

async function cover(name: string, story: Story, kind: keyof typeof DISTURBANCES): Promise<void> {
  const begun = performance.now();
  const covered = await sweep(lanes, { story, disturbance: DISTURBANCES[kind] });
  expect(covered.length).toBeGreaterThan(0);
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  process.stdout.write(
    `${name}, ${kind}: ${covered.length} places covered (writes ${covered[0]} to ${covered.at(-1)}, every ${EVERY}) on ${lanes.length} lanes in ${seconds} s\n`,
  );
}

const timeout = SWEEP_LIMIT_MS;

describe('the worker of an investigation at any write', () => {
  const disturb = (kind: keyof typeof DISTURBANCES) => cover('investigation', investigation, kind);
  beforeAll(() => open({ ...INVESTIGATION_CONFIG }, scriptInvestigation), timeout);
  test('is killed', { timeout }, () => disturb('SIGKILL'));
  test('is asked to stop', { timeout }, () => disturb('SIGTERM'));
  test('freezes, and writes nothing after it thaws', { timeout }, () => disturb('SIGSTOP'));
  test('loses its connections', { timeout }, () => disturb('connections cut'));
  test('loses the connection that announces events', { timeout }, () => disturb('announcers killed'));
});

describe('the worker of an agent with sub-agents at any write', () => {
  const disturb = (kind: keyof typeof DISTURBANCES) => cover('orchestrated', orchestrated, kind);
  beforeAll(() => open({ ...ORCHESTRATED }, scriptOrchestrated), timeout);
  test('is killed', { timeout }, () => disturb('SIGKILL'));
  if (EVERY >= 10) return; // A sample runs one kind only, because the tests above run the others.
  test('is asked to stop', { timeout }, () => disturb('SIGTERM'));
  test('freezes, and writes nothing after it thaws', { timeout }, () => disturb('SIGSTOP'));
  test('loses its connections', { timeout }, () => disturb('connections cut'));
  test('loses the connection that announces events', { timeout }, () => disturb('announcers killed'));
});

describe('the worker of an investigation with approvals at any write', () => {
  const disturb = (kind: keyof typeof DISTURBANCES) => cover('approvals', approvals, kind);
  beforeAll(() => open({ ...APPROVALS_CONFIG }, scriptApprovals), timeout);
  test('is killed', { timeout }, () => disturb('SIGKILL'));
  test('is asked to stop', { timeout }, () => disturb('SIGTERM'));
  if (EVERY >= 10) return;
  test('freezes, and writes nothing after it thaws', { timeout }, () => disturb('SIGSTOP'));
  test('loses its connections', { timeout }, () => disturb('connections cut'));
});

describe('the database of an investigation with approvals at any write', () => {
  beforeAll(() => open({ ...APPROVALS_CONFIG, ownServer: true }, scriptApprovals), timeout);
  test('is restarted', { timeout }, () => cover('approvals', approvals, 'PostgreSQL restarted'));
});

describe('the database of an investigation at any write', () => {
  beforeAll(() => open({ ...INVESTIGATION_CONFIG, ownServer: true }, scriptInvestigation), timeout);
  test('is restarted', { timeout }, () => cover('investigation', investigation, 'PostgreSQL restarted'));
});

if (EVERY < 10) {
  describe('the database of an agent with sub-agents at any write', () => {
    beforeAll(() => open({ ...ORCHESTRATED, ownServer: true }, scriptOrchestrated), timeout);
    test('is restarted', { timeout }, () => cover('orchestrated', orchestrated, 'PostgreSQL restarted'));
  });
}

describe('the worker of an answer at any write', () => {
  const disturb = (kind: keyof typeof DISTURBANCES) => cover('answer', answer, kind);
  beforeAll(() => open({ ...ANSWER_CONFIG }, scriptAnswer), timeout);
  test('is killed', { timeout }, () => disturb('SIGKILL'));
  test('is asked to stop', { timeout }, () => disturb('SIGTERM'));
  test('freezes, and writes nothing after it thaws', { timeout }, () => disturb('SIGSTOP'));
  test('loses its connections', { timeout }, () => disturb('connections cut'));
  test('loses the connection that announces events', { timeout }, () => disturb('announcers killed'));
});
