import { expect, test } from 'vitest';
import { FAILURE_TAGS } from '../../../db/enums.ts';
import { parseScore, ScoreError, submitScoreTool, totalScore } from './schema.ts';

const part = <T>(points: T, reason = 'T1 shows it') => ({ reason, points });
const dimensions = (outcome: number, rest: number) => ({
  outcome: part(outcome),
  evidence: part(rest),
  tools: part(rest),
  reasoning: part(rest),
  completeness: part(rest),
});
const whole = {
  dimensions: dimensions(80, 70),
  failure_tags: ['incomplete_evidence'],
  analysis: 'Sound, with a gap.',
  tool_report: '',
};
const without = (key: string) => Object.fromEntries(Object.entries(whole).filter(([name]) => name !== key));

test.each([
  ['the arguments of the function', JSON.stringify(whole)],
  ['text around it', `Here it is:\n\`\`\`json\n${JSON.stringify(whole, null, 2)}\n\`\`\`\nDone.`],
])('parses %s', (_what, text) => {
  expect(parseScore(text)).toEqual({
    total: 72,
    dimensions: whole.dimensions,
    failureTags: ['incomplete_evidence'],
    analysis: 'Sound, with a gap.',
    toolReport: null,
  });
});

test('removes duplicate tags', () => {
  const twice = { ...whole, failure_tags: ['wrong_conclusion', 'wrong_conclusion'] };
  expect(parseScore(JSON.stringify(twice)).failureTags).toEqual(['wrong_conclusion']);
});

test.each([
  ['no JSON', 'I rate this 100 of 100.', 'not one JSON object'],
  ['truncated JSON', JSON.stringify(whole).slice(0, -20), 'not one JSON object'],
  ['two objects', `${JSON.stringify(whole)} ${JSON.stringify(whole)}`, 'not one JSON object'],
  ['a text that is too long', JSON.stringify({ ...whole, analysis: 'x'.repeat(100_001) }), 'longer than'],
  ['no analysis', JSON.stringify(without('analysis')), 'analysis: '],
  ['a blank analysis', JSON.stringify({ ...whole, analysis: ' \n ' }), 'analysis: '],
  ['an unknown tag', JSON.stringify({ ...whole, failure_tags: ['lazy'] }), 'failure_tags.0: '],
  ['an unknown key', JSON.stringify({ ...whole, total: 100 }), 'total'],
  ...[101, -1, 70.5, '70', null].map((points) => [
    `the points ${JSON.stringify(points)}`,
    JSON.stringify({ ...whole, dimensions: { ...whole.dimensions, tools: part(points) } }),
    'dimensions.tools.points: ',
  ]),
  [
    'points without a reason',
    JSON.stringify({ ...whole, dimensions: { ...whole.dimensions, tools: part(70, '') } }),
    'dimensions.tools.reason: ',
  ],
  [
    'a missing dimension',
    JSON.stringify({ ...whole, dimensions: { outcome: part(70) } }),
    'dimensions.evidence: ',
  ],
])('rejects %s and says why', (_what, text, why) => {
  expect(() => parseScore(text!)).toThrow(ScoreError);
  expect(() => parseScore(text!)).toThrow(why);
});

test.each([
  [80, 70, 72],
  [80, 71, 73], // rounded
  [100, 100, 100],
  [60, 0, 60], // question answered
  [59, 100, 59], // diligence does not make up for a merely plausible conclusion
  [35, 0, 35],
  [34, 100, 34], // nor for a wrong conclusion
  [0, 0, 0],
])('combines an outcome of %i and other dimensions of %i to %i', (outcome, rest, total) => {
  expect(totalScore(dimensions(outcome, rest))).toBe(total);
});

test('asks for each reason before its points and allows no other fields', () => {
  expect(submitScoreTool().inputSchema).toMatchObject({
    required: ['dimensions', 'failure_tags', 'analysis', 'tool_report'],
    additionalProperties: false,
    properties: {
      failure_tags: { items: { enum: [...FAILURE_TAGS] } },
      dimensions: { additionalProperties: false, properties: { tools: { required: ['reason', 'points'] } } },
    },
  });
});
