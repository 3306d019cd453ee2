import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createFrameBatch } from './frame-batch.ts';

/** Frames that the page requested, by number. */
const frames = new Map<number, FrameRequestCallback>();
let requested = 0;
beforeEach(() => {
  frames.clear();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  vi.stubGlobal('requestAnimationFrame', (work: FrameRequestCallback) => {
    requested += 1;
    frames.set(requested, work);
    return requested;
  });
  vi.stubGlobal('cancelAnimationFrame', (number: number) => void frames.delete(number));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Lets the page draw a frame `ms` after the previous one. */
function draw(ms: number): void {
  vi.advanceTimersByTime(ms);
  const due = [...frames.values()];
  frames.clear();
  for (const work of due) work(performance.now());
}

function collect() {
  const batches: string[] = [];
  const batch = createFrameBatch<string>((entries) => batches.push(entries.join('')));
  return { batches, batch };
}

it('passes on the first entries in the next frame, and later ones in batches', () => {
  const { batches, batch } = collect();
  batch.push('a');
  batch.push('b');
  expect(batches).toEqual([]);
  draw(16);
  expect(batches).toEqual(['ab']);
  batch.push('c');
  draw(16);
  batch.push('d');
  expect(batches).toEqual(['ab']);
  draw(16);
  expect(batches).toEqual(['ab', 'cd']);
});

it('passes on the entries of a hidden page, which draws no frames, after half a second', () => {
  const { batches, batch } = collect();
  batch.push('a');
  vi.advanceTimersByTime(499);
  batch.push('b');
  expect(batches).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(batches).toEqual(['ab']);
  draw(16);
  batch.push('c');
  vi.advanceTimersByTime(500);
  expect(batches).toEqual(['ab', 'c']);
});

it('drops its entries when it is cancelled', () => {
  const { batches, batch } = collect();
  batch.push('a');
  batch.cancel();
  vi.advanceTimersByTime(500);
  batch.push('b');
  draw(16);
  expect(batches).toEqual(['b']);
});
