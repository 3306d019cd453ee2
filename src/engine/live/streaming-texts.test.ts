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
/** The time that publishing a piece takes (ms). */
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

/**
 * Returns the text of a subscriber that has already received the text `from`. Uses the pieces from index
 * `since`.
 */
function laid(id: string, from = '', since = 0): string {
  return pieces.slice(since).reduce((text, piece) => {
    if (piece.id !== id) return text;
    expect(piece.offset).toBe(text.length);
    return text + piece.delta;
  }, from);
}

test('publishes the first piece at once, then at most every 50 ms, without a gap', () => {
  texts.open('a', '');
  let whole = '';
  for (let n = 0; n < 400; n++) {
    const delta = `piece ${n} 🚨`;
    texts.addPiece('a', whole.length, delta);
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

test.each([['a'], ['a', 'b', 'c']])('leaves time for other work when publishing is slow: %s', (...ids) => {
  for (const id of ids) texts.open(id, '');
  takes = 40;
  for (let n = 0; n < 1000; n++) {
    for (const id of ids) texts.addPiece(id, n, 'x');
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

test('a single slow publication does not delay the next piece for long', () => {
  texts.open('a', '');
  takes = 10_000;
  texts.addPiece('a', 0, 'x');
  texts.addPiece('a', 1, 'y');
  takes = 0;
  vi.advanceTimersByTime(500);
  expect(laid('a')).toBe('xy');
});

test('publishes a piece after a pause at once', () => {
  texts.open('a', '');
  texts.addPiece('a', 0, 'x');
  texts.addPiece('a', 1, 'y');
  expect(laid('a')).toBe('x');
  vi.advanceTimersByTime(EVERY_MS);
  expect(laid('a')).toBe('xy');
  vi.advanceTimersByTime(EVERY_MS);
  texts.addPiece('a', 2, 'z');
  expect(laid('a')).toBe('xyz');
});

test('a new subscriber gets the published part, then the same pieces as the others', () => {
  texts.open('a', 'so far ');
  texts.addPiece('a', 7, 'one ');
  texts.addPiece('a', 11, 'two ');
  const [told] = texts.published();
  expect(told).toEqual({ timelineEventId: 'a', text: 'so far one ' });
  const since = pieces.length;
  texts.addPiece('a', 15, 'three');
  texts.close('a', 'so far one two three');
  expect(laid('a', told!.text, since)).toBe('so far one two three');
});

test('publishes nothing beyond a gap until it is filled, and nothing twice', () => {
  texts.open('a', '');
  expect(texts.addPiece('a', 4, 'late')).toBe(false);
  expect(pieces).toEqual([]);
  texts.setStored('a', 'gap ');
  expect(texts.addPiece('a', 4, 'late')).toBe(true);
  expect(texts.addPiece('a', 2, 'p late')).toBe(true);
  expect(texts.addPiece('a', 0, 'gap ')).toBe(true);
  texts.flush();
  expect(laid('a')).toBe('gap late');
});

test('takes no stored text that does not continue the known one', () => {
  texts.open('a', '');
  texts.addPiece('a', 0, 'once');
  texts.setStored('a', 'another text');
  texts.flush();
  expect(laid('a')).toBe('once');
});

test('stops publishing a text that is replaced by another', () => {
  texts.open('a', '');
  texts.addPiece('a', 0, 'once upon');
  texts.addPiece('a', 9, ' a time');
  texts.close('a', 'cut: a loop');
  vi.advanceTimersByTime(1000);
  expect(pieces).toMatchObject([{ delta: 'once upon' }]);
  expect(texts.growing()).toEqual([]);
});
