import { describe, expect, it, vi } from 'vitest';
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

  it('round-trips while a year is typed, when zones had offsets with seconds', () => {
    for (const zone of ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata']) {
      vi.stubEnv('TZ', zone);
      for (const year of ['0002', '0020', '0202', '2026']) {
        const text = `${year}-03-01T10:05`;
        expect([zone, toInput(fromInput(text, 'local'), 'local')]).toEqual([zone, text]);
      }
    }
    vi.unstubAllEnvs();
  });

  it('is empty for null, and null for an invalid time', () => {
    expect(toInput(null, 'local')).toBe('');
    expect(fromInput('', 'local')).toBeNull();
    expect(fromInput('2026-99', 'utc')).toBeNull();
  });
});
