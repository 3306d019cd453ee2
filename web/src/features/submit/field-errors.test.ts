import { CombinedError } from '@urql/core';
import { describe, expect, it } from 'vitest';
import { fieldErrors } from './field-errors.ts';

const validation = (field: string | null) =>
  ({ __typename: 'ValidationError', code: 'VALIDATION', message: 'not good', field }) as const;

describe('fieldErrors', () => {
  it.each([
    ['runbookUrl', 'runbookUrl'],
    ['input.alertType', 'alertType'],
    ['data', 'data'],
    ['mcp.servers.0.name', 'mcp'],
    ['slackMessageFingerprint', 'form'],
    [null, 'form'],
  ])('maps a validation error of %s to %s', (field, place) => {
    expect(fieldErrors(validation(field), undefined)).toEqual({ [place]: 'not good' });
  });

  it('reports the exact size of an alert that is too large', () => {
    const error = {
      code: 'ALERT_TOO_LARGE',
      message: '',
      maxBytes: 1_048_576,
      actualBytes: 1_048_577,
    } as const;
    expect(fieldErrors({ __typename: 'AlertTooLargeError', ...error }, undefined).data).toBe(
      'The alert is too large: 1,048,577 bytes. Maximum 1 MiB.',
    );
  });

  it('distinguishes an unreachable server from an error of the server', () => {
    expect(fieldErrors(undefined, new CombinedError({ networkError: new Error('x') })).form).toContain(
      'not responding',
    );
    expect(fieldErrors(undefined, new CombinedError({ graphQLErrors: ['broken'] })).form).toBe('broken');
  });
});
