import { expect, test } from 'vitest';
import { submitClaimsTool } from './schema.ts';
import { repairMessages } from './submission.ts';

const SUBMIT = submitClaimsTool();
const ANSWERS = { problem: 'Mend it.', others: 'Rejected.' };
const call = (id: string, name: string = SUBMIT.name) => ({ id, name, arguments: '{}' });
const told = (...toolCalls: ReturnType<typeof call>[]) =>
  repairMessages({ content: '', toolCalls }, SUBMIT, ANSWERS).map(({ role, toolCallId, content }) =>
    [role, toolCallId, content].join(' ').trim(),
  );

test('asks for a repair once, and gives each call of the message a result', () => {
  expect(told(call('a', 'search'), call('b'), call('c'))).toEqual([
    ...['TOOL a Rejected.', 'TOOL b Mend it.', 'TOOL c Rejected.'],
  ]);
});

test('asks for a repair in the result of the first call if the message submits nothing', () => {
  expect(told(call('a', 'search'), call('b', 'read'))).toEqual(['TOOL a Mend it.', 'TOOL b Rejected.']);
  expect(told().map((line) => line.replace(/ +/, ' '))).toEqual(['USER Mend it.']);
});
