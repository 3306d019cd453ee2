import { z } from 'zod';
import type { ScoreDimensions } from '../../../db/entities/index.ts';
import { FAILURE_TAGS, type FailureTag } from '../../../db/enums.ts';

/** In UTF-16 code units: what is longer is refused, not cut. */
const MAX = { reason: 2_000, text: 20_000, answer: 100_000 };

const dimension = (judged: string) =>
  z
    .strictObject({
      // First the reason, then the points: what is said first is not made up to fit a number.
      reason: z.string().trim().min(1).max(MAX.reason).describe('Why, with what shows it'),
      points: z.number().int().min(0).max(100).describe('From 0 to 100'),
    })
    .describe(judged);

const score = z.strictObject({
  dimensions: z.strictObject({
    outcome: dimension('Does the conclusion answer what is wrong, and why?'),
    evidence: dimension('Do the tool results show what is concluded?'),
    tools: dimension('Were the right tools used, and well?'),
    reasoning: dimension('Does each step follow, and were other causes considered?'),
    completeness: dimension('Was everything looked into that matters, and is what is unknown said?'),
  } satisfies Record<keyof ScoreDimensions, unknown>),
  failure_tags: z
    .array(z.enum(FAILURE_TAGS))
    .max(FAILURE_TAGS.length)
    .describe('What is wrong with it, if anything'),
  analysis: z.string().trim().min(1).max(MAX.text).describe('The judgement in a few sentences'),
  tool_report: z
    .string()
    .trim()
    .max(MAX.text)
    .describe('Tools that were missing, and how those that there are could be better; empty = nothing'),
});

/** What a judge hands in, whole; its total is reckoned here. */
export interface SubmittedScore {
  total: number;
  dimensions: ScoreDimensions;
  failureTags: FailureTag[];
  analysis: string;
  toolReport: string | null;
}

/** The function by which a model hands in its score. All fields of its schema are required, and no others are allowed. */
export function submitScoreTool(): {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
} {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(score, { target: 'draft-7' });
  return { name: 'submit_score', description: 'Hands in the score of the investigation.', inputSchema };
}

/** What is wrong with a score that cannot be read, in words that a model can mend it by. */
export class ScoreError extends Error {
  override name = 'ScoreError';
}

/** Problems that are told at once. */
const MAX_PROBLEMS = 10;

/**
 * Reads a score: the arguments of the function, or a text that holds one JSON object, as models without functions write it. All of it,
 * or nothing.
 * @throws ScoreError
 */
export function parseScore(text: string): SubmittedScore {
  if (text.length > MAX.answer) throw new ScoreError(`It is longer than ${MAX.answer} characters.`);
  const read = score.safeParse(parsed(text));
  if (!read.success) {
    const lines = read.error.issues
      .slice(0, MAX_PROBLEMS)
      .map(({ path, message }) => `${path.map(String).join('.') || 'the score'}: ${message}`);
    throw new ScoreError(lines.join('\n'));
  }
  const { dimensions, failure_tags, analysis, tool_report } = read.data;
  return {
    total: totalScore(dimensions),
    dimensions,
    failureTags: [...new Set(failure_tags)],
    analysis,
    toolReport: tool_report || null,
  };
}

function parsed(text: string): unknown {
  const [start, end] = [text.indexOf('{'), text.lastIndexOf('}')];
  try {
    if (start >= 0) return JSON.parse(text.slice(start, end + 1));
  } catch {
    // said below
  }
  throw new ScoreError('It is not one JSON object: write nothing else, and close every bracket.');
}

/** What a total can be where the outcome has at least these points: a wrong conclusion is not made good by diligence. */
const RANGES: readonly [outcome: number, least: number, most: number][] = [
  [60, 60, 100],
  [35, 35, 59],
  [0, 0, 34],
];

/** The mean of all, within what the outcome allows. */
export function totalScore(dimensions: ScoreDimensions): number {
  const points = Object.values(dimensions).map((each) => each.points);
  const mean = Math.round(points.reduce((sum, each) => sum + each, 0) / points.length);
  const [, least, most] = RANGES.find(([outcome]) => dimensions.outcome.points >= outcome)!;
  return Math.min(Math.max(mean, least), most);
}
