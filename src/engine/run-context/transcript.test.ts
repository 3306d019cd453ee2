import pg from 'pg';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { insertRow } from '../../../test/helpers/http-api.ts';
import { createTestDatabase } from '../../../test/helpers/postgres.ts';
import { beginRun } from '../../../test/helpers/run-log.ts';
import { createProviderTurnCipher, KEY_BYTES } from '../model/provider-turn-cipher.ts';
import { openJournal } from '../store/journal.ts';
import { openTranscript } from './transcript.ts';

test('a resumed agent has its messages as they were, and knows its hints and the tools that it lacks', async () => {
  const database = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: database.url });
  onTestFinished(() => pool.end().then(database.drop));
  const { fence } = await beginRun(pool);
  const { sessionId } = fence;
  const own = { session_id: sessionId };
  const stageId = await insertRow(pool, 'stages', { ...own, name: 'look', index: 1, type: 'INVESTIGATION' });
  const executionId = await insertRow(pool, 'agent_executions', {
    ...{ ...own, stage_id: stageId, agent_name: 'A', agent_index: 1, iteration_strategy: 'LANGCHAIN' },
  });
  const ids = { stageId, executionId };
  const journal = openJournal(
    { db: pool, publisher: { publish: async () => {} }, fence, logger: pino({ level: 'silent' }) },
    ids,
  );
  const masking = { maskArguments: (_: string, text: string) => text.replace('hunter2', '***') };
  const turnCipher = createProviderTurnCipher(new Uint8Array(KEY_BYTES));
  const open = (isResumed: boolean) =>
    openTranscript({ db: pool, journal, sessionId, ids, isResumed, masking, turnCipher });

  const first = await open(false);
  await first.addMessage({ role: 'SYSTEM', content: 'You are an engineer.' });
  const toolCalls = [{ id: 'c', name: 'host.disk', arguments: '{"password":"hunter2"}' }];
  const providerTurn = Uint8Array.of(1, 2, 3);
  await first.addMessage({ role: 'ASSISTANT', content: 'I look.', toolCalls, providerTurn });
  await first.addMessage({
    role: 'TOOL',
    content: 'broken',
    toolCallId: 'c',
    toolName: 'host.disk',
    failed: true,
  });
  await first.addMessage({ role: 'USER', content: 'Two alerts joined.', newsThrough: 12 });
  await first.addEvent({ type: 'HINT_READ', content: 'Read a hint.', metadata: { hints: [4, 9] } });
  const unoffered = [{ name: 'host.odd', reason: 'its schema is odd' }];
  await first.addEvent({ type: 'ERROR', content: 'Tools not offered.', metadata: { unoffered } });

  const resumed = await open(true);
  const plain = (message: object) => JSON.parse(JSON.stringify(message));
  expect(resumed.messages.map(plain)).toEqual(
    first.messages.map((message) =>
      plain({ ...message, ...(message.providerTurn && { providerTurn: Buffer.from(message.providerTurn) }) }),
    ),
  );
  expect(resumed.messages[1]!.toolCalls![0]!.arguments).toBe('{"password":"***"}');
  expect(resumed.messages[2]).toMatchObject({ failed: true });
  expect([...resumed.hints.numbers].toSorted((a, b) => a - b)).toEqual([4, 9]);
  expect([...resumed.unoffered]).toEqual(['host.odd']);
  expect(resumed.newsThrough).toBe(12);
});
