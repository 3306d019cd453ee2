import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { addHint, concludeSession, hintsOf } from '../helpers/hints.ts';

/** Hints that are refused or bounded. */
let app: TestApp;
let id: string;
const as = (user: string) => apiClient(app.url, { 'x-forwarded-user': user });

beforeAll(async () => {
  app = await startTestApp({
    auth: { mode: 'proxy', trusted_proxies: ['127.0.0.1'] },
    access: {
      roles: { viewer: { users: ['*'] }, responder: { users: ['rex', 'otto'] }, admin: { users: ['ada'] } },
      teams: { ours: { users: ['rex', 'vera'] }, others: { users: ['otto'] } },
    },
    queue: { max_concurrent_sessions: 1 },
  });
  app.llm.script([{ text: 'Looking' }, { gate: 'looking' }, { text: 'var is full.' }], { text: 'Summary.' });
  id = await as('rex').submit('Trouble', { team: 'ours' });
  await app.llm.reached('looking');
});
afterAll(() => app.stop());

describe('a session', { shuffle: false }, () => {
  test('a viewer and another team are refused, the latter as if the session did not exist', async () => {
    expect(await addHint(as('vera'), id, 'Look here.')).toMatchObject({ __typename: 'ForbiddenError' });
    const unknown = await addHint(as('otto'), '00000000-0000-7000-8000-000000000000', 'Look here.');
    expect(unknown).toMatchObject({ __typename: 'NotFoundError' });
    expect(await addHint(as('otto'), id, 'Look here.')).toEqual(unknown);
    expect(await concludeSession(as('otto'), id)).toMatchObject({ __typename: 'NotFoundError' });
    expect(await concludeSession(as('vera'), id)).toMatchObject({ __typename: 'ForbiddenError' });
    expect(await hintsOf(as('ada'), id)).toEqual([]);
  });

  test.each([
    ['an empty hint', '  \n', 'The hint is empty.'],
    ['1 MB', 'x'.repeat(1_000_000), 'The hint has 1000000 bytes, at most 4000 are allowed.'],
    ['4,002 bytes in 2,001 characters', 'ä'.repeat(2_001), 'The hint has 4002 bytes'],
  ])('refuses %s with the reason', async (_name, text, message) => {
    const answer = await addHint(as('rex'), id, text);
    expect(answer).toMatchObject({ __typename: 'ValidationError', field: 'text' });
    expect(answer.message).toContain(message);
  });

  test('refuses a hint for an agent that does not exist', async () => {
    const answer = await addHint(as('rex'), id, 'Look here.', 'Nobody');
    expect(answer).toMatchObject({ __typename: 'ValidationError', field: 'agent' });
  });

  test('of 100 hints at once a session takes 20, and the model gets nothing of the others', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => addHint(as('rex'), id, `Hint number ${n}.`)),
    );
    const taken = answers.filter(({ __typename }) => __typename === 'AddHintSuccess');
    expect(taken).toHaveLength(20);
    const refused = answers.filter(({ __typename }) => __typename === 'ConflictError');
    expect(refused).toHaveLength(80);
    expect(refused[0]!.message).toContain('already has 20 hints');
    expect(await hintsOf(as('ada'), id)).toHaveLength(20);
  });

  test('an ended session takes no hint and no request to conclude; its unread hints stay unread', async () => {
    app.llm.open('looking');
    await as('ada').waitFor(id, ({ status }) => ENDED.has(status));
    const answer = await addHint(as('rex'), id, 'Too late.');
    expect(answer).toMatchObject({ __typename: 'ConflictError' });
    expect(answer.message).toContain('has ended (COMPLETED)');
    expect(await concludeSession(as('rex'), id)).toMatchObject({ __typename: 'ConflictError' });
    const hints = await hintsOf(as('ada'), id);
    expect(hints.map(({ deliveredAt }) => deliveredAt)).toEqual(hints.map(() => null));
  });
});
