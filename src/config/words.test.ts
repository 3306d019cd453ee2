import { describe, expect, test } from 'vitest';
import { formatDuration, parseDuration } from './durations.ts';
import { fromConfigSpelling, ITERATION_STRATEGIES, toConfigSpelling } from './enums.ts';
import { MASKING_GROUP_PATTERNS } from './masking-names.ts';
import { compilePattern, compileReplacement, patternProblem } from './regex.ts';
import { didYouMean, nearestName } from './suggest.ts';

describe('durations', () => {
  test.each([
    ['30s', 30_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['500ms', 500],
    ['1m500ms', 60_500],
    ['1h2m3s4ms', 3_723_004],
    ['0s', 0],
  ])('%s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
    expect(formatDuration(ms)).toBe(text);
  });
  test.each(['', '5', 's', '5 m', '1.5h', '-5m', '5m1h', '5m5m', '5M', '5min', '1d', 'm5'])(
    '%j is none',
    (text) => {
      expect(parseDuration(text)).toBeNull();
    },
  );
  test('formats durations in the shortest spelling', () => {
    expect(formatDuration(parseDuration('120s') ?? 0)).toBe('2m');
  });
});

test('enum words and their config spelling', () => {
  expect(ITERATION_STRATEGIES.map(toConfigSpelling)).toEqual([
    'single-call',
    'react',
    'langchain',
    'native-thinking',
    'synthesis',
    'synthesis-native-thinking',
  ]);
  for (const word of ITERATION_STRATEGIES) {
    expect(fromConfigSpelling(ITERATION_STRATEGIES, toConfigSpelling(word))).toBe(word);
  }
  expect(fromConfigSpelling(ITERATION_STRATEGIES, 'NATIVE_THINKING')).toBeNull();
});

describe('patterns of operators', () => {
  test("accepts inline flags in Go's notation", () => {
    expect('Customer-12 customer-7'.replace(compilePattern('(?i)customer-\\d+'), 'X')).toBe('X X');
    expect('a\nb'.replace(compilePattern('(?sm)^a.b$'), 'X')).toBe('X');
  });
  test("accepts named groups in Go's notation and ignores lookalikes", () => {
    const pattern = compilePattern(String.raw`(?P<key>[(?P<]?token\(?P<)=(?P<value>\w+)`);
    expect('a token(P<=abc'.replace(pattern, compileReplacement(`\${key}=[M]`))).toBe('a token(P<=[M]');
    expect('ab'.replace(compilePattern('(a)(?P<b>b)'), compileReplacement(`\${2}\${1}0$$x`))).toBe('ba0$x');
    expect(patternProblem('(?P<a>x)(?P<a>y)')).toBe('bad regular expression: duplicate capture group name');
    expect(patternProblem('(?P<1>x)')).toBe('bad regular expression: invalid capture group name');
  });
  test.each([
    ['(', 'bad regular expression: unterminated group'],
    ['[z-a]', 'bad regular expression: range out of order in character class'],
    ['a{2,1}', 'bad regular expression: numbers out of order in {} quantifier'],
    ['', 'bad regular expression: it matches empty text'],
    ['(?i)x?', 'bad regular expression: it matches empty text'],
  ])('%j', (pattern, problem) => {
    expect(patternProblem(pattern)).toBe(problem);
  });
  test('accepts a valid pattern', () => expect(patternProblem(String.raw`acct-\d{4,}`)).toBeNull());
});

describe('suggestions', () => {
  const names = ['llm_provider', 'max_iterations', 'mcp_servers', 'chat'];
  test.each([
    ['llm_providr', 'llm_provider'],
    ['LLM_PROVIDER', 'llm_provider'],
    ['max_iteration', 'max_iterations'],
    ['caht', null],
    ['chats', 'chat'],
    ['scoring', null],
  ])('%s', (written, name) => expect(nearestName(written, names)).toBe(name));
  test('returns the most similar name, the first of equals', () => {
    expect(nearestName('abcd12', ['abcdxy', 'abcd1x', 'abcd1y'])).toBe('abcd1x');
    expect(didYouMean('xyz', names)).toBe('');
  });
});

test('groups contain each pattern once', () => {
  for (const patterns of Object.values(MASKING_GROUP_PATTERNS)) {
    expect(new Set(patterns).size).toBe(patterns.length);
  }
  expect(MASKING_GROUP_PATTERNS.all).toHaveLength(16);
});
