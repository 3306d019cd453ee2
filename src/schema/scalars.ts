import { builder } from './builder.ts';
import { badUserInput } from './errors.ts';

// Checked first, because Date.parse accepts other formats and assumes a time zone if there is none.
const RFC3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/i;

builder.scalarType('DateTime', {
  description:
    'A time in RFC 3339 format, in UTC with milliseconds. Inputs may use any time zone but must have one.',
  serialize: (value) => value.toISOString(),
  parseValue: (value) => {
    const date = typeof value === 'string' && RFC3339.test(value) ? new Date(value) : null;
    if (!date || Number.isNaN(date.getTime())) {
      throw badUserInput('A DateTime is an RFC 3339 text with a zone, such as 2026-01-31T12:00:00.000Z.');
    }
    return date;
  },
});

builder.scalarType('JSON', { description: 'Any JSON value.', serialize: (value) => value });

builder.scalarType('Long', {
  description: 'An integer up to 2^53-1, for counts of tokens and bytes.',
  serialize: (value) => value,
  parseValue: (value) => {
    if (!Number.isSafeInteger(value))
      throw badUserInput('A Long is an integer between -(2^53-1) and 2^53-1.');
    return value as number;
  },
});
