import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../../test/helpers/postgres.ts';
import { beginRun } from '../../../test/helpers/run-log.ts';
import type { AgentContext } from '../run-context/types.ts';
import { writeRows } from '../store/event-statement.ts';
import type { NewMessage } from '../store/messages.ts';
import { addTimelineEvent } from '../store/timeline.ts';
import { deliverHints } from './deliver-hints.ts';

test('an agent reads each hint for all, for itself and for its replicas once', async () => {
  const database = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: database.url });
  onTestFinished(() => pool.end().then(database.drop));
  const { fence } = await beginRun(pool);
  const hint = (content: string, agent: string | null) =>
    writeRows(pool, fence, [
      addTimelineEvent(
        { stageId: null, executionId: null },
        { type: 'HINT', status: 'COMPLETED', content, metadata: { author: 'ana', agent } },
      ),
    ]);
  const messages: NewMessage[] = [];
  const context = (interactionType: AgentContext['interactionType']) =>
    ({
      ...{ db: pool, session: { id: fence.sessionId }, interactionType, name: 'Host-2' },
      resolved: { agentName: 'Host' },
      transcript: {
        hints: { numbers: new Set<number>(), through: 0 },
        addMessage: async (message: NewMessage) => void messages.push(message),
        addEvent: async () => {},
      },
    }) as unknown as AgentContext;
  const agent = context('ITERATION');
  await hint('to all', null);
  await hint('to the replicas', 'Host');
  await hint('to this replica', 'Host-2');
  await hint('to the other one', 'Host-1');
  await deliverHints(agent);
  await deliverHints(agent);
  await hint('later', null);
  await deliverHints(agent);
  await deliverHints(context('CHAT_RESPONSE')); // an answer has them in its history
  const read = messages.map(({ content }) => content.match(/^(?:to|later).*$/gm));
  expect(read).toEqual([['to all', 'to the replicas', 'to this replica'], ['later']]);
});
