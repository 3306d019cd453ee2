import { describe, expect, it } from 'vitest';
import { excerpt, hasHit, highlightPieces } from './highlight.ts';

const marked = (text: string, search: string): string =>
  highlightPieces(text, search)
    .map(({ text: piece, hit }) => (hit ? `[${piece}]` : piece))
    .join('');

describe('highlightPieces', () => {
  it.each([
    ['Disk full, disk /var', 'disk', '[Disk] full, [disk] /var'],
    ['a.b a+b (a|b)', 'a+b', 'a.b [a+b] (a|b)'],
    ['C:\\temp [x] $1', '"[x] $1"', 'C:\\temp [[x] $1]'],
    ['a pod of web-1 is full', 'full web pod', 'a [pod] of [web]-1 is [full]'],
    ['web-10 and web-1', 'web-1 web-10', '[web-10] and [web-1]'],
    ['disk is  full, full disk', '"is full"', 'disk [is  full], full disk'],
    ['say "no', '"no', 'say ["no]'],
    ['a b', '" "', 'a b'],
    ['ÄRGER ärger', 'ärger', '[ÄRGER] [ärger]'],
    ['nothing', 'some', 'nothing'],
    ['all', '', 'all'],
    ['', 'x', ''],
  ])('%s: %s', (text, search, expected) => {
    expect(marked(text, search)).toBe(expected);
  });
});

describe('excerpt', () => {
  const text = `${'before '.repeat(50)}the needle\nlies here ${'after '.repeat(50)}`;

  it('shows the text around the match on one line', () => {
    const found = excerpt(text, '"NEEDLE lies"', 60);
    expect(found).toMatch(/^….*the needle lies here.*…$/);
    expect(found?.length).toBeLessThanOrEqual(62);
  });

  it('is the whole text if that is short, and null without a match', () => {
    expect(excerpt('a needle', 'needle')).toBe('a needle');
    expect(excerpt('a needle', 'pin')).toBeNull();
    expect(hasHit('a needle', 'NEED')).toBe(true);
    expect(hasHit('a needle', '')).toBe(false);
  });
});
