import { describe, expect, test } from 'vitest';
import { splitLines } from '../../prompt-text/tool-results.ts';
import { OutputError, readPassage, searchOutput } from './search.ts';

const LOG = Array.from({ length: 3000 }, (_, n) => `${n + 1} worker-${n % 7} took ${n * 3} ms`).join('\n');
const search = (text: string, pattern: string, from = 1, maxUnits = 4000) =>
  searchOutput(text, pattern, { from, maxUnits });

describe('search', () => {
  test('finds lines with their numbers', async () => {
    expect(await search(LOG, 'took 3(00|03) ms$')).toEqual({
      lines: 3000,
      matching: 2,
      shown: [
        { number: 101, text: '101 worker-2 took 300 ms' },
        { number: 102, text: '102 worker-3 took 303 ms' },
      ],
    });
    expect(await search(LOG, '(?i)^WORKER')).toMatchObject({ matching: 0, shown: [] });
    expect(await search(LOG, '\\Qworker-1 took 3 ms\\E')).toMatchObject({ matching: 1 });
  });

  test('counts all matches, shows what fits and continues from a line', async () => {
    const first = await search(LOG, 'worker-3');
    expect(first.matching).toBe(429);
    expect(first.shown.length).toBeLessThan(200);
    const size = first.shown.reduce(
      (sum, { number, text }) => sum + String(number).length + text.length + 3,
      0,
    );
    expect(size).toBeLessThanOrEqual(4000);
    const next = await search(LOG, 'worker-3', first.shown.at(-1)!.number + 1);
    expect(next.matching).toBe(429 - first.shown.length);
    expect(await search(LOG, 'worker', 3001)).toMatchObject({ matching: 0 });
  });

  test('finds matches in and across pieces of a long line and shows the text around them', async () => {
    const text = `${'x'.repeat(995)}needle-one${'y'.repeat(4000)}größe 🚨 needle-two${'z'.repeat(9000)}`;
    const { matching, shown, lines } = await search(text, 'needle-\\w{3}');
    expect(lines).toBe(splitLines(text).length);
    expect(matching).toBe(2);
    expect(shown[0]!.number).toBe(1);
    expect(shown[1]!.text).toContain('größe 🚨 needle-two');
    for (const { text: line } of shown) expect(line.length).toBeLessThan(310);
    expect((await search('🚨'.repeat(3000), '🚨')).shown.every(({ text: line }) => line.isWellFormed())).toBe(
      true,
    );
  });

  test('finds nothing across the end of a long line', async () => {
    expect(await search(`${'x'.repeat(1_001)}\nneedle`, 'xx\\sneedle')).toMatchObject({ matching: 0 });
  });

  test('shows a line that just fits', async () => {
    expect((await search('abc', 'b', 1, 7)).shown).toEqual([{ number: 1, text: 'abc' }]); // with ": " and the newline
    expect(await search('abc', 'b', 1, 6)).toMatchObject({ matching: 1, shown: [] });
  });

  test('shows the beginning of a long match, with whole characters', async () => {
    const [match] = (await search(`${'x'.repeat(50)}needle${'a'.repeat(900)}`, 'needlea+')).shown;
    expect(match!.text).toMatch(/needlea+…$/);
    const [cut] = (await search(`x${'🚨'.repeat(400)}`, 'x')).shown;
    expect(cut!.text.isWellFormed()).toBe(true);
  });

  test.each([
    ['unicode', 'größe 東京', '東京'],
    ['classes of it', 'größe', '^\\p{L}+$'],
    ['a character of two units', 'a🚨b', 'a.b'],
  ])('knows %s', async (_, text, pattern) => {
    expect(await search(text, pattern)).toMatchObject({ matching: 1 });
  });

  test.each([
    ['is no expression', '(', /cannot be read/],
    ['looks around', '(?=a)', /cannot be read/],
    ['refers to a group', '(a)\\1', /cannot be read/],
    ['is too long', 'a'.repeat(501), /at most 500/],
    ['repeats too much', '((a{1,100}){1,100}){1,100}', /cannot be read|too large/],
    ['is too large', '[a-z]{900}[a-z]{900}[a-z]{900}', /cannot be read|too large/],
  ])('says what is wrong with a pattern that %s', async (_, pattern, words) => {
    await expect(search(LOG, pattern)).rejects.toThrow(OutputError);
    await expect(search(LOG, pattern)).rejects.toThrow(words);
  });

  test('searches with catastrophic patterns in linear time and yields to other work', {
    timeout: 60_000,
  }, async () => {
    const hostile = `${'a'.repeat(400_000)}!`;
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    for (const pattern of ['(a+)+$', '(a|aa)+$', '(?s)a.*z|a', '([a-z]+)*[0-9]', '(.*)(.*)(.*)(.*)x'])
      expect((await search(hostile, pattern)).lines).toBe(401);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
    await expect(search('a'.repeat(9_000_000), '(?:a?){300}b')).rejects.toThrow(/plainer/);
  });
});

describe('read', () => {
  const read = (text: string, from: number, to?: number, maxUnits = 4000) =>
    readPassage(text, { from, to, maxUnits });

  test('returns lines unchanged', () => {
    expect(read(LOG, 2, 3)).toEqual({
      lines: 3000,
      from: 2,
      to: 3,
      text: '2 worker-1 took 3 ms\n3 worker-2 took 6 ms',
    });
    expect(read(LOG, 3000, 9999)).toMatchObject({ from: 3000, to: 3000 });
  });

  test('returns as many lines as fit', () => {
    const passage = read(LOG, 100);
    expect(passage.text.length).toBeLessThanOrEqual(4000);
    expect(passage.to).toBeGreaterThan(200);
    expect(read(LOG, passage.to + 1).from).toBe(passage.to + 1);
    expect(read('abc\ndef', 1, undefined, 7).text).toBe('abc\ndef');
    expect(read('abc\ndef', 1, undefined, 6).text).toBe('abc');
  });

  test('reads one long line in pieces that add up to it', () => {
    const json = JSON.stringify(Array.from({ length: 3000 }, (_, n) => ({ n, name: `größe-${n} 🚨` })));
    const { lines } = read(json, 1);
    const pieces = Array.from({ length: lines }, (_, n) => read(json, n + 1, n + 1).text);
    expect(pieces.join('')).toBe(json);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
  });

  test.each([
    ['after its end', 3001, undefined, /3000 lines/],
    ['backwards', 9, 3, /before "from"/],
  ])('says so when asked for lines %s', (_, from, to, words) => {
    expect(() => read(LOG, from, to)).toThrow(words);
  });
});
