import { CombinedError } from '@urql/core';
import { describe, expect, it } from 'vitest';
import { type SilenceDraft, silenceErrors, silenceInput } from './silence-draft.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const draft: SilenceDraft = {
  matchers: 'a="1"\n\n  b=~"2"  \n',
  comment: 'Moving disks',
  length: '2h',
  until: null,
};
const refused = (field: string | null) =>
  ({ __typename: 'ValidationError', code: 'VALIDATION', message: 'not good', field }) as const;

describe('the draft of a silence', () => {
  it('has one matcher per line, and ends after a duration or at a moment', () => {
    expect(silenceInput(draft, NOW)).toEqual({
      matchers: ['a="1"', 'b=~"2"'],
      comment: 'Moving disks',
      endsAt: '2026-11-22T14:00:00.000Z',
    });
    const until = '2026-11-23T06:00:00.000Z';
    expect(silenceInput({ ...draft, length: 'until', until }, NOW)).toMatchObject({ endsAt: until });
    expect(silenceInput({ ...draft, length: 'until' }, NOW)).toEqual({ end: 'Choose an end time.' });
  });

  it.each([
    ['matchers', { matchers: 'not good' }],
    ['matchers.1', { matchers: 'Line 3: not good' }],
    ['comment', { comment: 'not good' }],
    ['endsAt', { end: 'not good' }],
    ['startsAt', { form: 'not good' }],
    [null, { form: 'not good' }],
  ])('maps a refusal of %s to its field', (field, errors) => {
    expect(silenceErrors(draft, refused(field), undefined)).toEqual(errors);
  });

  it('omits the line number for a single matcher, and reports an unreachable server', () => {
    expect(silenceErrors({ ...draft, matchers: 'a=' }, refused('matchers.0'), undefined)).toEqual({
      matchers: 'not good',
    });
    const away = new CombinedError({ networkError: new Error('x') });
    expect(silenceErrors(draft, undefined, away)).toEqual({ form: 'The server is not responding.' });
  });
});
