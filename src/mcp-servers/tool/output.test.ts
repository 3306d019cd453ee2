import { describe, expect, it } from 'vitest';
import { cleanText, formatBytes, formatDuration, limitOutput, table } from './output.ts';

const ESC = String.fromCharCode(27);

describe('limitOutput', () => {
  const long = Array.from({ length: 100 }, (_, index) => `line ${index} ${'é'.repeat(20)}`).join('\n');

  it('keeps whole lines of the requested end within the limit and notes the cut', () => {
    const head = limitOutput(long, 'head', 1000);
    const tail = limitOutput(long, 'tail', 1000);
    expect(Buffer.byteLength(head)).toBeLessThanOrEqual(1000);
    expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(1000);
    expect(head).toMatch(/^line 0 é{20}\n[\s\S]*é{20}\n\[output cut: first 1000 B of 4\.\d KiB shown\]$/);
    expect(tail).toMatch(
      /^\[output cut: last 1000 B of 4\.\d KiB shown\]\nline \d+ é{20}\n[\s\S]*line 99 é{20}$/,
    );
  });

  it('cuts one endless line between characters', () => {
    for (const keep of ['head', 'tail'] as const) {
      const cut = limitOutput('é'.repeat(5000), keep, 1001);
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(1001);
      expect(cut).toContain('éééé');
      expect(cut).not.toContain('\u{FFFD}');
    }
  });

  it('leaves short text alone', () => {
    expect(limitOutput('a\tb\nc')).toBe('a\tb\nc');
  });
});

it('cleanText removes colours and characters that a database refuses', () => {
  expect(cleanText(`${ESC}[31mred${ESC}[0m\r\nx\0y\uD800`)).toBe('red\nx\u{FFFD}y\u{FFFD}');
});

it('formats sizes, durations and tables', () => {
  expect([0, 1023, 1024, 1.5 * 1024 ** 3].map(formatBytes)).toEqual(['0 B', '1023 B', '1.0 KiB', '1.5 GiB']);
  expect([5, 61, 3_700, 90_061].map(formatDuration)).toEqual(['5 s', '1 min', '1 h 1 min', '1 d 1 h 1 min']);
  expect(table(['a', 'bb'], [['long', 'x']])).toBe('a     bb\nlong  x');
});
