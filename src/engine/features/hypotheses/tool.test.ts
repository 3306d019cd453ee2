import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestPool, type TestPool } from '../../../../test/helpers/postgres.ts';
import type { Queryable } from '../../../db/queryable.ts';
import type { RowChange } from '../../store/event-statement.ts';
import { type HypothesisKeeper, hypothesisTools } from './tool.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

const ALERT = 'Disk of host db-03 is 91% full. The password is plum.';
const citations = [{ source: 'ALERT', quote: 'Disk of host db-03 is 91% full' }];
/** A proof that holds, and one that only the alert states. */
const PROOF = { citations, facts: [{ subject: 'ALERT', attribute: 'says', value: '91% full', citation: 0 }] };
const PART = { citations, facts: [{ subject: 'db-03', attribute: 'full', value: '91%', citation: 0 }] };
const cause = (text: string, more: object = {}) => ({ text, state: 'PROPOSED', ...more });

/** Returns the tool of a new agent, and what it stores. */
function agent(db: Queryable = pool) {
  const stored: unknown[] = [];
  const config = { defaults: { hypotheses: { enabled: true } }, mcpServers: {} };
  const keeper = {
    run: { db, config, session: { id: uuidv7() }, alert: { alertData: ALERT, runbook: null } },
    executionId: uuidv7(),
    transcript: {
      kept: (calls: { arguments: string }[]) =>
        calls.map((call) => ({ ...call, arguments: call.arguments.replace('plum', '***') })),
      note: (...changes: RowChange[]) => stored.push(...changes.map(({ row }) => row)),
    },
  };
  const [tool] = hypothesisTools(keeper as unknown as HypothesisKeeper);
  const update = (...hypotheses: object[]) =>
    tool!.run({}, { id: 'call', name: tool!.name, arguments: JSON.stringify({ hypotheses }) });
  return { stored, update };
}

test('numbers the hypotheses of calls that run in parallel, and masks them', async () => {
  const { stored, update } = agent();
  const answers = await Promise.all([
    ...[update(cause('A full disk')), update(cause('The password plum'), cause('A full disk'))],
  ]);
  expect(answers[1]).toBe(
    'H2 is PROPOSED.\nH1 is PROPOSED.\n\nThe list:\nH1 PROPOSED: A full disk\nH2 PROPOSED: The password ***',
  );
  expect(stored).toMatchObject([
    { number: 1, text: 'A full disk', state: 'PROPOSED' },
    { number: 2, text: 'The password ***' },
  ]);
});

test('stores a proof with the state that it proves, and no other proof', async () => {
  const { stored, update } = agent();
  await update(cause('A full disk', PROOF), cause('A slow disk', { state: 'REFUTED', ...PART }));
  expect(stored).toMatchObject([
    { number: 1, state: 'PROPOSED', citations: [], facts: [] },
    { number: 2, state: 'PROPOSED', citations: [], facts: [] },
  ]);
  expect(await update({ id: 'H1', state: 'SUPPORTED', ...PROOF })).toContain('H1 is SUPPORTED.');
  expect(stored.at(-1)).toMatchObject({ number: 1, state: 'SUPPORTED', facts: [{ value: '91% full' }] });
  const answer = await update({ id: 'H1', state: 'REFUTED', ...PART });
  expect(answer).toContain('H1 stays SUPPORTED: Only the alert or the runbook states this, no tool output.');
  expect(answer).toContain('H1 SUPPORTED: A full disk');
  await update({ id: 'H1', state: 'SUPPORTED', ...PROOF }); // changes nothing
  expect(stored).toHaveLength(3);
});

test('keeps ten hypotheses, each with its id and text', async () => {
  const { stored, update } = agent();
  await update(...Array.from({ length: 9 }, (_, n) => cause(`Cause ${n + 1}`)));
  expect(await update({ id: 'H10', state: 'REFUTED', ...PROOF })).toContain('H10 is unknown.');
  expect(await update(cause('Cause 10'))).toContain('H10 is PROPOSED.');
  expect(await update(cause('Cause 11'))).toContain('Not stored: an agent has at most 10 hypotheses');
  expect(await update({ id: 'H10', state: 'REFUTED', ...PROOF })).toContain('H10 is REFUTED.');
  expect(await update({ id: 'H1', text: 'Another', state: 'PROPOSED' })).toContain(
    'H1 not changed: the text of a hypothesis is fixed.',
  );
  expect(await update({ state: 'PROPOSED' })).toContain('A hypothesis without id and text is not stored.');
  expect(stored).toHaveLength(11);
  await expect(async () => update({ id: 'H100', state: 'PROPOSED' })).rejects.toThrow('hypotheses');
  await expect(async () => update(...Array.from({ length: 11 }, () => cause('Cause 1')))).rejects.toThrow(
    'hypotheses',
  );
});

test('works again after the database was away', async () => {
  let isAway = true;
  const query: Queryable['query'] = (...statement) =>
    isAway ? Promise.reject(new Error('away')) : pool.query(...(statement as [string]));
  const { update } = agent({ query });
  await expect(update(cause('A full disk'))).rejects.toThrow('away');
  isAway = false;
  expect(await update(cause('A full disk'))).toContain('H1 is PROPOSED.');
});
