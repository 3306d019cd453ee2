import { expect, test } from 'vitest';
import { failure, SlackCallError } from './failure.ts';
import { createReturnWatch } from './return.ts';

/** Returns what happens in each round, in which Slack answers or not, and messages wait or not. */
async function rounds(...given: [isUp: boolean, isBehind: boolean][]): Promise<string[]> {
  const seen: string[] = [];
  let [isUp, isBehind] = [true, true];
  const look = createReturnWatch({
    openClient: () => ({
      async identity() {
        if (!isUp) throw new SlackCallError(failure('unreachable', { mayHaveSucceeded: false }));
        return { teamId: 'T', botUserId: 'U', scopes: [] };
      },
    }),
    isBehind: async () => isBehind,
    resume: async () => void seen.push('resumed'),
  });
  for ([isUp, isBehind] of given) {
    const before = seen.length;
    await look();
    if (seen.length === before) seen.push('');
  }
  return seen;
}

test('messages that wait are resumed when Slack returns, once per return', async () => {
  const [UP, DOWN] = [[true, true] as [boolean, boolean], [false, true] as [boolean, boolean]];
  expect(await rounds(DOWN, DOWN, UP, UP, UP, DOWN, UP)).toEqual(['', '', 'resumed', '', '', '', 'resumed']);
});

test('messages that failed before a start are resumed once', async () => {
  expect(await rounds([true, false], [true, true], [true, true])).toEqual(['', 'resumed', '']);
});
