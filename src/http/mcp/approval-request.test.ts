import { expect, test } from 'vitest';
import { askedBefore, askForApproval, type PendingApproval } from './approval-request.ts';

const approval = (more: Partial<PendingApproval>): PendingApproval => ({
  ...{ id: 'a', status: 'PENDING', server: 'host', tool: 'run', arguments: {}, argumentsHash: 'h' },
  ...{ reason: null, mayDecide: true },
  ...more,
});
const asked = (more: Partial<PendingApproval>) => JSON.stringify(askForApproval([approval(more)], new Set()));

test('the question shows hidden characters of call and reason', () => {
  const question = asked({
    arguments: { path: '/tmp/\u202egpj.sh\u200b' },
    reason: 'safe\u2066\r\n  really',
  });
  expect(question).not.toMatch(/[\u202e\u200b\u2066]/);
  expect(question).toContain('\\\\u202egpj.sh\\\\u200b');
  expect(question).toContain('Reason: safe\\\\u2066 really');
});

test('a call is not asked about if its shown arguments are too long', () => {
  expect(asked({ arguments: { text: 'x'.repeat(3900) } })).toContain('elicit');
  expect(asked({ arguments: { text: '\u200b'.repeat(1000) } })).toBe('null');
});

test('a call that the user leaves waiting is asked about once, also if others come later', () => {
  const rounds: string[][] = [];
  let [state, answers]: [unknown, Record<string, unknown>] = [undefined, {}];
  for (const ids of ['a', 'ab', 'ab', 'abc', 'abc']) {
    const approvals = [...ids].map((id) => approval({ id }));
    const request = askForApproval(approvals, askedBefore(state, answers));
    const keys = Object.keys(request?.inputRequests ?? {});
    rounds.push(keys);
    if (request === null) continue;
    // A client answers the last request only.
    state = request.requestState;
    answers = Object.fromEntries(keys.map((key) => [key, { action: 'decline' }]));
  }
  expect(rounds).toEqual([['a/h'], ['b/h'], [], ['c/h'], []]);
});
