import { expect, test } from 'vitest';
import { type PlanInput, planOf } from './plan.ts';

const stage = (name: string, more: Partial<PlanInput['stages'][number]> = {}) => ({
  ...({
    id: name,
    index: 1,
    name,
    type: 'INVESTIGATION',
    status: 'COMPLETED',
    seconds: 90,
    agents: [],
  } as const),
  ...more,
});
const plan = (status: PlanInput['status'], ...stages: PlanInput['stages']) =>
  planOf({ sessionId: 's', status, stage: null, stages, calls: [] }, ['look', 'advise']).tasks.map(
    ({ title, status: shown, details }) => [title, shown, details].filter((part) => part !== null).join(', '),
  );

test('a stage that took no second took one', () => {
  expect(plan('IN_PROGRESS', stage('look', { seconds: 0 }))[0]).toBe('look, complete, 1s');
  expect(plan('IN_PROGRESS', stage('look'))[0]).toBe('look, complete, 1m30s');
});

test('stages that were not run are complete only if the session needed none of them', () => {
  expect(plan('IN_PROGRESS', stage('look'))[1]).toBe('advise, pending');
  expect(plan('COMPLETED', stage('look'))[1]).toBe('advise · not run, complete');
  expect(plan('FAILED', stage('look'))[1]).toBe('advise · not run, error');
});

test('nothing runs after the end of a session', () => {
  const open = stage('look', { status: 'ACTIVE', seconds: null });
  expect(plan('IN_PROGRESS', open)[0]).toBe('look, in_progress');
  expect(plan('CANCELLED', open)[0]).toBe('look · not finished, error');
});
