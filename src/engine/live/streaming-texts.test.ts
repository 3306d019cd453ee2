import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createStreamingTexts } from './streaming-texts.ts';

const EVERY_MS = 50;

interface Piece {
  id: string;
  offset: number;
  delta: string;
  at: number;
}

let pieces: Piece[];
let texts: ReturnType<typeof createStreamingTexts>;
/** Milliseconds that it takes to tell a piece. */
let takes: number;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  pieces = [];
  takes = 10;
  texts = createStreamingTexts({
    coalesceMs: EVERY_MS,
    emit: (id, offset, delta) => {
      pieces.push({ id, offset, delta, at: performance.now() });
      vi.advanceTimersByTime(takes);
    },
  });
});
afterEach(() => {
  texts.dispose();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

/** Returns a subscriber's text if it had received the text up to `from`. */
function laid(id: string, from = '', since = 0): string {
  return pieces.slice(since).reduce((text, piece) => {
    if (piece.id !== id) return text;
    expect(piece.offset).toBe(text.length);
    return text + piece.delta;
  }, from);
}

test('tells the first piece at once and then no more often than every 50 ms, and nothing is missing', () => {
  texts.open('a', '');
  let whole = '';
  for (let n = 0; n < 400; n++) {
    const delta = `piece ${n} 🚨`;
    texts.lay('a', whole.length, delta);
    whole += delta;
    if (n === 0) expect(laid('a')).toBe(whole);
    vi.advanceTimersByTime(5);
  }
  const most = performance.now() / EVERY_MS;
  expect(pieces.length).toBeGreaterThan(most * 0.8);
  expect(pieces.length).toBeLessThanOrEqual(most + 1);
  texts.close('a', `${whole}!`);
  expect(laid('a')).toBe(`${whole}!`);
});

test('what is told in no time is told at once', () => {
  takes = 0;
  texts.open('a', '');
  for (let n = 0; n < 10; n++) texts.lay('a', n, 'x');
  expect(pieces).toHaveLength(10);
});

test.each([['a'], ['a', 'b', 'c']])('time stays for other things when telling takes long: %s', (...ids) => {
  for (const id of ids) texts.open(id, '');
  takes = 40;
  for (let n = 0; n < 1000; n++) {
    for (const id of ids) texts.lay(id, n, 'x');
    vi.advanceTimersByTime(5);
  }
  const share = (pieces.length * takes) / performance.now();
  expect(share).toBeGreaterThan(0.2);
  expect(share).toBeLessThan(0.78);
  for (const id of ids) {
    texts.close(id, 'x'.repeat(1000));
    expect(laid(id)).toBe('x'.repeat(1000));
  }
});

test('a machine that stood still does not hold the next piece for long', () => {
  texts.open('a', '');
  takes = 10_000;
  texts.lay('a', 0, 'x');
  texts.lay('a', 1, 'y');
  takes = 0;
  vi.advanceTimersByTime(500);
  expect(laid('a')).toBe('xy');
});

test('a piece after a pause goes at once', () => {
  texts.open('a', '');
  texts.lay('a', 0, 'x');
  texts.lay('a', 1, 'y');
  expect(laid('a')).toBe('x');
  vi.advanceTimersByTime(EVERY_MS);
  expect(laid('a')).toBe('xy');
  vi.advanceTimersByTime(EVERY_MS);
  texts.lay('a', 2, 'z');
  expect(laid('a')).toBe('xyz');
});

test('who joins is told exactly what the others have been told, and then gets the same pieces', () => {
  texts.open('a', 'so far ');
  texts.lay('a', 7, 'one ');
  texts.lay('a', 11, 'two ');
  const [told] = texts.told();
  expect(told).toEqual({ timelineEventId: 'a', text: 'so far one ' });
  const since = pieces.length;
  texts.lay('a', 15, 'three');
  texts.close('a', 'so far one two three');
  expect(laid('a', told!.text, since)).toBe('so far one two three');
});

test('a gap is not told until it is filled; what is known already is not told again', () => {
  texts.open('a', '');
  expect(texts.lay('a', 4, 'late')).toBe(false);
  expect(pieces).toEqual([]);
  texts.fill('a', 'gap ');
  expect(texts.lay('a', 4, 'late')).toBe(true);
  expect(texts.lay('a', 2, 'p late')).toBe(true);
  expect(texts.lay('a', 0, 'gap ')).toBe(true);
  texts.flush();
  expect(laid('a')).toBe('gap late');
});

test('a text that turns out to be another is not told on', () => {
  texts.open('a', '');
  texts.lay('a', 0, 'once upon');
  texts.lay('a', 9, ' a time');
  texts.close('a', 'cut: a loop');
  vi.advanceTimersByTime(1000);
  expect(laid('a')).toBe('once upon');
  expect(texts.growing()).toEqual([]);
});
