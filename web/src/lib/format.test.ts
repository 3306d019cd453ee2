import { describe, expect, it } from 'vitest';
import {
  byteLength,
  formatAbsolute,
  formatAgo,
  formatBothZones,
  formatBytes,
  formatClock,
  formatCount,
  formatDuration,
} from './format.ts';

describe('formatDuration', () => {
  it.each([
    [-5, '0 ms'],
    [840, '840 ms'],
    [12_900, '12 s'],
    [187_000, '3 m 07 s'],
    [2 * 3_600_000 + 5 * 60_000 + 59_000, '2 h 05 m'],
    [27 * 3_600_000, '1 d 03 h'],
    [99 * 24 * 3_600_000, '99 d 00 h'],
    [26_336.3 * 24 * 3_600_000, '26,336 d'],
  ])('%d ms is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

describe('formatAgo', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');

  it.each([
    ['2026-11-21T12:00:05Z', 'just now'],
    ['2026-11-21T11:59:30Z', 'just now'],
    ['2026-11-21T11:55:00Z', '5 m ago'],
    ['2026-11-21T09:00:00Z', '3 h ago'],
    ['2026-11-19T12:00:00Z', '2 d ago'],
  ])('%s is %s', (then, text) => {
    expect(formatAgo(then, now)).toBe(text);
  });

  it('shows the date after a week', () => {
    expect(formatAgo('2026-10-01T12:00:00Z', now)).toContain('2026');
  });
});

describe('time zones', () => {
  const time = '2026-11-21T23:30:05.000Z';

  it('formats UTC clock times on a machine in any zone', () => {
    expect(formatClock(time, 'utc')).toBe('23:30:05');
  });

  it('names the zone and shows both zones, the chosen one first', () => {
    expect(formatAbsolute(time, 'utc')).toContain('UTC');
    const lines = formatBothZones(time, 'utc').split('\n');
    expect(lines[0]).toBe(formatAbsolute(time, 'utc'));
    expect([undefined, formatAbsolute(time, 'local')]).toContain(lines[1]);
  });
});

describe('formatCount', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1_000, '1.00k'],
    [12_345, '12.3k'],
    [999_499, '999k'],
    [999_500, '1.00M'],
    [4_560_000, '4.56M'],
  ])('%d is %s', (count, text) => {
    expect(formatCount(count)).toBe(text);
  });
});

describe('sizes', () => {
  it.each([
    [512, '512 B'],
    [1_536, '1.5 KiB'],
    [1_048_576, '1 MiB'],
  ])('%d is %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it('counts UTF-8 bytes, not code units', () => {
    expect(byteLength('a€😀')).toBe(1 + 3 + 4);
  });
});
