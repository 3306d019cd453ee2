import { describe, expect, it } from 'vitest';
import { prettyYaml } from './pretty-yaml.ts';

describe('prettyYaml', () => {
  it('writes one member a line, and keeps comments and the order', () => {
    expect(prettyYaml('# why\nb: {x: 1, y: [2, 3]}\na: 1\n')).toBe(
      '# why\nb:\n  x: 1\n  y:\n    - 2\n    - 3\na: 1',
    );
  });

  it('keeps several documents apart', () => {
    expect(prettyYaml('a: {b: 1}\n---\nc: 2\n')).toBe('a:\n  b: 1\n---\nc: 2');
  });

  it.each(['just words', 'disk: full\n  wrong: indent', '', 'a: *nothing\n'])('leaves %j alone', (text) => {
    expect(prettyYaml(text)).toBeNull();
  });

  it('does not write out aliases', () => {
    const bomb = `a: &a [x, x]\n${'bcdefghij'
      .split('')
      .map((name, i) => `${name}: &${name} [*${'abcdefghi'[i]}, *${'abcdefghi'[i]}]`)
      .join('\n')}\n`;
    expect(prettyYaml(bomb)!.length).toBeLessThan(1_000);
  });
});
