import { expect, test } from 'vitest';
import { type ZoomAction, zoomed } from './zoom.ts';

const WHOLE = { start: 1_000, end: 1_800 };

/** Returns the window after the actions as `start-end`. */
function after(...actions: ZoomAction[]): string {
  const view = actions.reduce((now, action) => zoomed({ view: now, whole: WHOLE }, action) ?? WHOLE, WHOLE);
  return `${view.start}-${view.end}`;
}

test('zooms around the middle and back', () => {
  expect(after('in')).toBe('1200-1600');
  expect(after('in', 'in')).toBe('1300-1500');
  expect(after('in', 'in', 'out')).toBe('1200-1600');
  expect(after('in', 'out')).toBe('1000-1800');
  expect(after('in', 'in', 'reset')).toBe('1000-1800');
});

test('zooms in around a given time', () => {
  const near = (focus: number) => zoomed({ view: WHOLE, whole: WHOLE, focus }, 'in');
  expect(near(1_300)).toEqual({ start: 1_100, end: 1_500 });
  expect(near(1_790)).toEqual({ start: 1_400, end: 1_800 });
});

test('moves by half a window and stays within the whole', () => {
  expect(after('in', 'in', 'later')).toBe('1400-1600');
  expect(after('in', 'in', 'earlier', 'earlier', 'earlier', 'earlier')).toBe('1000-1200');
  expect(after('in', 'later', 'later', 'later')).toBe('1400-1800');
  expect(after('in', 'later', 'out', 'later')).toBe('1000-1800');
});

test('never shows less than a few milliseconds', () => {
  const actions = Array.from({ length: 20 }, () => 'in' as const);
  expect(after(...actions)).toBe('1398-1402');
  expect(zoomed({ view: { start: 7, end: 7 }, whole: { start: 7, end: 7 } }, 'in')).toBeNull();
});
