import { describe, expect, it } from 'vitest';
import { fromInput, toInput } from './datetime-input.ts';

describe('datetime input', () => {
  const time = '2026-11-22T03:10:00.000Z';

  it('uses UTC if the viewer chose UTC', () => {
    expect(toInput(time, 'utc')).toBe('2026-11-22T03:10');
    expect(fromInput('2026-11-22T03:10', 'utc')).toBe(time);
  });

  it('round-trips in the local zone, in summer and winter time', () => {
    for (const moment of [time, '2026-07-01T12:00:00.000Z']) {
      expect(fromInput(toInput(moment, 'local'), 'local')).toBe(moment);
    }
  });

  it('is empty for null, and null for an invalid time', () => {
    expect(toInput(null, 'local')).toBe('');
    expect(fromInput('', 'local')).toBeNull();
    expect(fromInput('2026-99', 'utc')).toBeNull();
  });
});
