import { expect, test, vi } from 'vitest';
import { approvalsOf, decide } from '../helpers/approvals.ts';
import { approvalsSuite } from '../helpers/approvals-suite.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

/** Tests calls whose time is over before their turn, because four others of the same response hang. */
vi.setConfig({ testTimeout: 240_000 });

const suite = approvalsSuite();
const { as, asked, ended } = suite;
const HANGING = Array.from({ length: 4 }, () => toolCall('tools.hang'));

/** Returns the result of the fifth call, as the model received it. */
const fifthResult = () =>
  suite.app.llm.requests[1]!.messages.findLast(({ role }) => role === 'tool')!.content;

test('tells the model that a call was not made at the time limit of the iteration', async () => {
  await suite.start([], {
    tools: { allow_changes: true },
    agents: { TestAgent: { mcp_servers: ['tools'], iteration_timeout: '4s' } },
  });
  suite.app.llm.script(
    [...HANGING, toolCall('tools.note', { text: 'late' })],
    { text: 'Done.' },
    { text: 'Summary.' },
  );
  const id = await as('ana').submit('Disk trouble');
  expect(await ended(id)).toMatchObject({ status: 'COMPLETED' });
  expect(fifthResult()).toContain('Not called: the time limit of the iteration was reached before its turn.');
  expect(await suite.notes()).toEqual([]);
});

test('ends the approval of a call that was not made before the agent had to conclude', async () => {
  await suite.start([], {
    queue: { max_concurrent_sessions: 1, worker_concurrency: 1, session_timeout: '40s' },
  });
  suite.app.llm.script(
    [...HANGING, toolCall('tools.note', { text: 'late' })],
    { text: 'Done.' },
    { text: 'Summary.' },
  );
  const { id } = await asked();
  for (const approval of await approvalsOf(as('ana'), id))
    expect(await decide(as('bo'), approval, true)).toBe('APPROVED');
  expect(await ended(id)).toMatchObject({ status: 'COMPLETED' });
  expect(fifthResult()).toContain('Not called: the agent must conclude now.');
  const approvals = await approvalsOf(as('ana'), id);
  expect(approvals.map(({ status }) => status)).toEqual([...Array(4).fill('OUTCOME_UNKNOWN'), 'FAILED']);
  expect(approvals.at(-1)!.errorMessage).toBe('the agent must conclude now');
  expect(await suite.notes()).toEqual([]);
});
