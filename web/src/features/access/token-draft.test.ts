import { expect, test } from 'vitest';
import { EMPTY_DRAFT, isInput, tokenErrors, tokenInput } from './token-draft.ts';

const NOW = Date.parse('2026-11-23T00:00:00Z');
const DRAFT = { ...EMPTY_DRAFT, name: ' ci ' };

test('turns the form into the input', () => {
  expect(tokenInput(DRAFT, NOW)).toEqual({
    name: 'ci',
    scopes: ['READ'],
    team: null,
    expiresAt: '2027-02-21T00:00:00.000Z',
    service: false,
  });
  expect(tokenInput({ ...DRAFT, team: ' pay ', lifetime: 'never' }, NOW)).toMatchObject({
    team: 'pay',
    expiresAt: null,
  });
  expect(tokenInput({ ...DRAFT, isService: true }, NOW)).toMatchObject({ service: true });
  const until = '2027-01-01T12:00:00.000Z';
  expect(tokenInput({ ...DRAFT, lifetime: 'until', until }, NOW)).toMatchObject({ expiresAt: until });
});

test('reports every missing value', () => {
  const input = tokenInput({ ...EMPTY_DRAFT, scopes: [], lifetime: 'until' }, NOW);
  expect(isInput(input)).toBe(false);
  expect(Object.keys(input)).toEqual(['name', 'scopes', 'end']);
});

test.each([
  ['expiresAt', 'end'],
  ['team', 'team'],
  [null, 'form'],
  ['input.other', 'form'],
])('maps a server error about %s to %s', (field, place) => {
  const refusal = { __typename: 'ValidationError' as const, message: 'No.', field };
  expect(tokenErrors(refusal, undefined)).toEqual({ [place]: 'No.' });
});

test('reports a refusal and an unexpected answer', () => {
  expect(tokenErrors({ __typename: 'ForbiddenError', message: 'Not you.' }, undefined)).toEqual({
    form: 'Not you.',
  });
  expect(tokenErrors(undefined, undefined).form).toContain('Unexpected response');
});
