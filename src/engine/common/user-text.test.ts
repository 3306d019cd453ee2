import { expect, test } from 'vitest';
import { ValidationError } from '../../common/errors.ts';
import { maskUserText } from './user-text.ts';

const LIMITS = { field: 'content', name: 'question', maxLength: 10 };
const asked = (text: string, maskChat = (given: string) => given.replace('hunter2', '***')) => {
  try {
    return maskUserText({ maskChat }, { text, ...LIMITS });
  } catch (error) {
    expect(error).toBeInstanceOf(ValidationError);
    return error as ValidationError;
  }
};

test('takes a text of the maximum length, masked', () => {
  expect(asked('is hunter2')).toBe('is ***');
});

test.each([
  ['eleven char', 'The question has 11 characters, at most 10 are allowed.'],
  ['a\0', 'NUL character at position 1'],
  ['a\ud800', 'half of a surrogate pair'],
])('refuses %j', (text, problem) => {
  expect(asked(text)).toMatchObject({ field: 'content', message: expect.stringContaining(problem) });
});

test('refuses a text that cannot be masked', () => {
  const refused = asked('secret', () => {
    throw new Error('broken pattern');
  });
  expect(refused).toMatchObject({
    field: 'content',
    message: 'Secrets in the question could not be masked. Reword it.',
  });
});
