import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { insertSession } from '../../../test/helpers/http-api.ts';
import { createTestPool, type TestPool } from '../../../test/helpers/postgres.ts';
import { NotFoundError } from '../../common/errors.ts';
import { uuidv7 } from '../../common/uuidv7.ts';
import { createTransaction } from '../store/database.ts';
import { sendChatMessage } from './chat.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

beforeEach(() => pool.query('delete from alert_sessions'));

const ANA = { name: 'ana', via: 'NONE', address: null };

/** Asks a question about a session that `change` changes after the session was read. */
async function ask(change: string, questionId: string | null = null) {
  const id = await insertSession(pool, { status: 'COMPLETED' });
  const transaction = createTransaction(pool, { publish: async () => {} });
  const deps = {
    db: pool,
    config: { chains: { 'host-chain': { chat: { enabled: true } } } } as never,
    masking: { maskChat: (text: string) => text },
    transaction: (async (work) => {
      if (change !== '') await pool.query(change, [id]);
      return transaction(work);
    }) as typeof transaction,
    isShuttingDown: () => false,
    enqueueAnswer: async () => {},
  };
  const send = () => sendChatMessage(deps, id, { content: 'Why?', id: questionId }, ANA);
  return { first: await send(), send };
}

test.each([
  ['hidden', 'update alert_sessions set deleted_at = now() where id = $1'],
  ['deleted', 'delete from alert_sessions where id = $1'],
])('accepts no question about a session that the retention has just %s', async (_, change) => {
  await expect(ask(change)).rejects.toThrow(NotFoundError);
  expect((await pool.query('select 1 from chat_user_messages')).rowCount).toBe(0);
});

test('returns the first question again if its id is repeated, also while its answer is open', async () => {
  const { first, send } = await ask('', uuidv7());
  expect(await send()).toMatchObject({ message: { id: first.message.id }, stage: { id: first.stage.id } });
  expect((await pool.query('select 1 from chat_user_messages')).rowCount).toBe(1);
});
