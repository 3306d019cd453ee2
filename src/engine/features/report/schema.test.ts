import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parseReport, ReportError, submitReportTool } from './schema.ts';

const FACT = {
  ...{ subject: 'web-1', attribute: 'restarts', value: '17', unit: null, negated: false, citation: 0 },
  ...{ window: null, filter: null },
};
const CLAIM = {
  kind: 'CAUSE',
  text: 'web-1 restarted 17 times',
  citations: [{ source: 'T12', quote: 'web-1 17 restarts' }],
  because: null,
  facts: [FACT],
};
const REPORT = {
  verdict: 'ACTION_REQUIRED',
  headline: 'web-1 restarts',
  confidence: 0.8,
  entities: ['Pod web-1'],
  claims: [CLAIM],
};

const failure = (text: string) => {
  try {
    parseReport(text);
  } catch (error) {
    if (error instanceof ReportError) return `${error.code} ${error.message}`;
    throw error;
  }
  return null;
};
const withClaim = (change: object) => JSON.stringify({ ...REPORT, claims: [{ ...CLAIM, ...change }] });
const withFact = (change: object) => withClaim({ facts: [{ ...FACT, ...change }] });
const cited = (source: string) => withClaim({ citations: [{ source, quote: 'web-1 17 restarts' }] });

test('parses a report and accepts no other fields', () => {
  expect(parseReport(JSON.stringify(REPORT)).claims[0]!.citations).toEqual([
    { source: 12, quote: 'web-1 17 restarts' },
  ]);
  const validate = new Ajv().compile(submitReportTool({}).inputSchema);
  expect(validate(REPORT)).toBe(true);
  expect(validate({ ...REPORT, more: 1 })).toBe(false);
  const { verdict: _, ...without } = REPORT;
  expect(validate(without)).toBe(false);
});

test('demands every field of a fact, and reads a fact that leaves out the optional ones', () => {
  const validate = new Ajv().compile(submitReportTool({}).inputSchema);
  const { unit: _, negated, window, filter, ...short } = FACT;
  for (const change of [{ facts: undefined }, { facts: [short] }])
    expect(validate(JSON.parse(withClaim(change)))).toBe(false);
  expect(parseReport(withClaim({ facts: [short] })).claims[0]!.facts).toEqual([FACT]);
  const empty = { ...FACT, unit: ' ', window: '', filter: '' };
  expect(parseReport(withClaim({ facts: [empty] })).claims[0]!.facts).toEqual([FACT]);
});

test('offers the labels of the operator, if there are any', () => {
  const noise = { noise: { description: 'Needs no action.' } };
  const { properties } = submitReportTool(noise).inputSchema as { properties: Record<string, object> };
  expect(properties.labels).toMatchObject({
    items: { enum: ['noise'] },
    description: expect.stringContaining('noise: Needs no action.'),
  });
  const validate = new Ajv().compile(submitReportTool(noise).inputSchema);
  expect(validate({ ...REPORT, labels: ['noise'] })).toBe(true);
  for (const report of [REPORT, { ...REPORT, labels: ['other'] }]) expect(validate(report)).toBe(false);
  expect(parseReport(JSON.stringify(REPORT)).labels).toEqual([]);
});

test('reads a claim without facts', () => {
  expect(parseReport(withClaim({ facts: undefined })).claims[0]!.facts).toEqual([]);
});

test.each([
  ['T12', 12],
  ['[T12]', 12],
  ['ALERT', 'ALERT'],
  ['[RUNBOOK]', 'RUNBOOK'],
])('parses the source %s', (source, is) => {
  expect(parseReport(cited(source)).claims[0]!.citations[0]!.source).toBe(is);
});

test('ignores text around the JSON object', () => {
  const text = `Here it is:\n\`\`\`json\n${JSON.stringify(REPORT, null, 2)}\n\`\`\`\nThat is all.`;
  expect(parseReport(text).headline).toBe('web-1 restarts');
});

test.each([
  ['no JSON', 'I could not find out.', /^REPORT_NOT_JSON /],
  ['broken JSON', '{"verdict": "NO_ACTION", }', /^REPORT_NOT_JSON /],
  ['a closing bracket alone', '}', /^REPORT_NOT_JSON /],
  ['a field is missing', JSON.stringify({ ...REPORT, headline: undefined }), /^REPORT_INVALID headline: /],
  [
    'an unknown verdict',
    JSON.stringify({ ...REPORT, verdict: 'MAYBE' }),
    /^REPORT_INVALID verdict: .*NO_ACTION/,
  ],
  [
    'a confidence above one',
    JSON.stringify({ ...REPORT, confidence: 80 }),
    /^REPORT_INVALID confidence: .*1/,
  ],
  ['no claims', JSON.stringify({ ...REPORT, claims: [] }), /^REPORT_INVALID claims: /],
  [
    'too many claims',
    JSON.stringify({ ...REPORT, claims: Array(41).fill(CLAIM) }),
    /^REPORT_INVALID claims: .*40/,
  ],
  ['a claim without text', withClaim({ text: ' ' }), /^REPORT_INVALID claims\.0\.text: /],
  ['a fact without subject', withFact({ subject: ' ' }), /^REPORT_INVALID claims\.0\.facts\.0\.subject: /],
  ['too long a value', withFact({ value: 'x'.repeat(501) }), /^REPORT_INVALID .*facts\.0\.value: .*500/],
  ['a citation before the first', withFact({ citation: -1 }), /^REPORT_INVALID .*facts\.0\.citation: /],
  ['too many facts', withClaim({ facts: Array(13).fill(FACT) }), /^REPORT_INVALID .*facts: .*12/],
  ['a number that is none', cited('T'), /^REPORT_INVALID claims\.0\.citations\.0\.source: /],
  ['a number of its own', cited('12'), /^REPORT_INVALID claims\.0\.citations\.0\.source: /],
  ['too long', ' '.repeat(300_001), /^REPORT_TOO_LONG /],
])('rejects %s and says where', (_, text, words) => {
  expect(failure(text)).toMatch(words);
});

test('reports the first ten problems', () => {
  const claims = Array.from({ length: 40 }, () => ({ ...CLAIM, text: '' }));
  expect(failure(JSON.stringify({ ...REPORT, claims }))!.split('\n')).toHaveLength(10);
});
