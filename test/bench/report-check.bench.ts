import { expect, test } from 'vitest';
import type { Claim, ToolOutput } from '../../src/engine/features/report/verify/types.ts';
import { verifyReport } from '../../src/engine/features/report/verify/verify-report.ts';
import { report } from './report.ts';
import { scaled } from './scale.ts';

const MIB = 1024 * 1024;
const RUNS = scaled(1, 7);
const SIZE = scaled(MIB, 5 * MIB);
/** Size of each hostile shape (characters). */
const HOSTILE_SIZE = scaled(MIB / 4, 2 * MIB);
const HOSTILE_RUNS = scaled(1, 3);
const CLAIMS = 40;
const OUTPUTS = 25;

/** Upper bound (ms) for checking a report with 40 claims against 5 MiB of outputs. */
const TARGET_MS = 200;

/** Returns the smallest CPU time of several runs (ms), which other load disturbs least. */
function best(work: () => unknown, runs = RUNS): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const begun = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(begun);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

const line = (number: number) =>
  `2026-11-22T14:32:58Z level=error app=checkout pod=checkout-${number % 97} took=${number}ms msg="upstream timed out"`;
const LINE_UNITS = line(10_000).length + 1;

function outputOf(number: number, text: string): ToolOutput {
  const call = { number, server: 'logs', tool: 'search', arguments: { app: 'checkout' } };
  return { ...call, text, succeeded: true, notFound: false, untrusted: false };
}

/** Builds logs of a fixed total size, and claims about their lines with two citations each. */
function reportOver(outputs: number) {
  const lines = Math.floor(SIZE / outputs / LINE_UNITS);
  const texts = Array.from({ length: outputs }, (_, at) =>
    Array.from({ length: lines }, (_, number) => line(at * lines + number)).join('\n'),
  );
  const claims = Array.from({ length: CLAIMS }, (_, index): Claim => {
    const at = index % outputs;
    const number = at * lines + Math.floor((lines * index) / CLAIMS);
    const text = `checkout-${number % 97} took ${number} ms at 14:32 UTC`;
    const quotes = [line(number), line(at * lines)];
    const citations = quotes.map((quote) => ({ source: at + 1, quote }));
    const shown = {
      subject: `checkout-${number % 97}`,
      negated: false,
      citation: 0,
      window: null,
      filter: null,
    };
    const facts = [
      { ...shown, attribute: 'took', value: String(number), unit: 'ms' },
      { ...shown, attribute: 'time', value: '14:32 UTC', unit: null },
    ];
    return { kind: 'OBSERVATION', text, facts, citations };
  });
  return { claims, outputs: texts.map((text, at) => outputOf(at + 1, text)), alert: '', runbook: null };
}

test.each([OUTPUTS, 1])('checking 40 claims over 5 MiB in %i outputs', (outputs) => {
  const input = reportOver(outputs);
  const quotes = input.claims.flatMap(({ citations }) => citations);
  const plain = best(() => {
    for (const { text } of input.outputs) text.normalize('NFKC').replaceAll(/\s+/g, ' ');
    return quotes.map(({ source, quote }) => input.outputs[Number(source) - 1]!.text.indexOf(quote));
  });
  const value = best(() => verifyReport(input));
  const { claims } = verifyReport(input);
  expect(claims.map(({ status }) => status)).toEqual(claims.map(() => 'SUPPORTED'));
  const where = outputs === 1 ? 'one output' : `${outputs} outputs`;
  report({
    name: `checking ${CLAIMS} claims over ${SIZE / MIB} MiB in ${where}`,
    value,
    unit: 'ms',
    baseline: plain,
    baselineName: 'normalize, one white space, indexOf',
  });
  if (RUNS > 1) expect(value).toBeLessThan(TARGET_MS);
});

/** Texts on which a search that backtracks would take the most time. */
const SHAPES: Readonly<Record<string, (units: number) => string>> = {
  'one letter': (units) => 'a'.repeat(units),
  'two letters': (units) => 'ab'.repeat(units / 2),
  digits: (units) => '1'.repeat(units),
  'combining characters': (units) => `a${'\u0301\u0323'.repeat(units / 2)}`,
  'invisible characters': (units) => '\u200b'.repeat(units),
  'characters that become many': (units) => '\ufdfa'.repeat(units / 16),
  backslashes: (units) => '\\'.repeat(units),
  'escapes of JSON': (units) => `{"a":"${'\\u0041'.repeat(units / 6)}"}`,
  'escape codes': (units) => '\u001b['.repeat(units / 2),
  'open escape codes': (units) => '\u001b]'.repeat(units / 2),
  braces: (units) => '{'.repeat(units),
  'white space': (units) => `x${' '.repeat(units)}y`,
  'the quote all over': (units) => 'could not connect '.repeat(units / 18),
};
const QUOTES = [
  'a'.repeat(400),
  `${'a'.repeat(400)}b`,
  `b${'a'.repeat(400)}`,
  `${'ab'.repeat(200)}c`,
  '1'.repeat(400),
  'a\u0301\u0323'.repeat(100),
  '\\'.repeat(400),
  '{'.repeat(400),
  'could not connect',
];

test.each(Object.keys(SHAPES))('hostile outputs take time in proportion to their length: %s', (shape) => {
  const claims = QUOTES.map((quote): Claim => {
    const restarts = { subject: 'web-1', attribute: 'restarts', value: '17', unit: null, negated: false };
    const facts = [{ ...restarts, citation: 0, window: null, filter: null }];
    return {
      kind: 'OBSERVATION',
      text: 'web-1 restarted 17 times',
      facts,
      citations: [{ source: 1, quote }],
    };
  });
  const timed = (units: number) => {
    const outputs = [outputOf(1, SHAPES[shape]!(units))];
    return best(() => verifyReport({ claims, outputs, alert: '', runbook: null }), HOSTILE_RUNS);
  };
  const [short, long] = [timed(HOSTILE_SIZE / 4), timed(HOSTILE_SIZE)];
  report({
    name: `checking quotes over ${HOSTILE_SIZE / MIB} MiB: ${shape}`,
    value: long,
    unit: 'ms',
    baseline: short,
    baselineName: 'a quarter of it',
  });
  if (RUNS > 1) expect(long / short).toBeLessThan(8);
});
