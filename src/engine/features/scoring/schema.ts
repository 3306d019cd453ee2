import { z } from 'zod';
import type { ScoreDimensions } from '../../../db/entities/index.ts';
import { FAILURE_TAGS, type FailureTag } from '../../../db/enums.ts';
import { describeIssues, parseJsonObject, type SubmitTool, submitTool } from '../report/schema.ts';

/** Maximum lengths (UTF-16 code units). A longer score is rejected, not cut. */
const MAX = { reason: 2_000, text: 20_000, answer: 100_000 };

const dimension = (judged: string) =>
  z
    .strictObject({
      // The reason comes first, so that the model does not invent it to justify a number.
      reason: z.string().trim().min(1).max(MAX.reason).describe('The reason, with its evidence'),
      points: z.number().int().min(0).max(100).describe('From 0 to 100'),
    })
    .describe(judged);

const score = z.strictObject({
  dimensions: z.strictObject({
    outcome: dimension('Does the conclusion answer what is wrong, and why?'),
    evidence: dimension('Do the tool results show the conclusion?'),
    tools: dimension('Were the right tools used, and well?'),
    reasoning: dimension('Does each step follow, and were other causes considered?'),
    completeness: dimension('Was everything important checked, and are unknowns named?'),
  } satisfies Record<keyof ScoreDimensions, unknown>),
  failure_tags: z
    .array(z.enum(FAILURE_TAGS))
    .max(FAILURE_TAGS.length)
    .describe('Flaws of the investigation; empty = none'),
  analysis: z.string().trim().min(1).max(MAX.text).describe('The judgement in a few sentences'),
  tool_report: z
    .string()
    .trim()
    .max(MAX.text)
    .describe('Missing tools, and improvements of existing ones; empty = nothing'),
});

export interface SubmittedScore {
  /** 0–100. */
  total: number;
  dimensions: ScoreDimensions;
  failureTags: FailureTag[];
  analysis: string;
  /** Feedback for the operators of the tools; `null` if there is none. */
  toolReport: string | null;
}

export function submitScoreTool(): SubmitTool {
  return submitTool('submit_score', 'Submits the score of the investigation.', score);
}

/** A submitted score that cannot be parsed. The message is for people and the model. */
export class ScoreError extends Error {
  override name = 'ScoreError';
}

/** Parses a complete score: the function's arguments, or a text with one JSON object. @throws ScoreError */
export function parseScore(text: string): SubmittedScore {
  if (text.length > MAX.answer) throw new ScoreError(`The score is longer than ${MAX.answer} characters.`);
  const json = parseJsonObject(text);
  if (json === undefined) throw new ScoreError('The score is not one JSON object.');
  const parsed = score.safeParse(json);
  if (!parsed.success) throw new ScoreError(describeIssues(parsed.error, 'the score'));
  const { dimensions, failure_tags, analysis, tool_report } = parsed.data;
  return {
    total: totalScore(dimensions),
    dimensions,
    failureTags: [...new Set(failure_tags)],
    analysis,
    toolReport: tool_report || null,
  };
}

/** Bounds of the total by the points for the outcome, because diligence does not make up for a wrong conclusion. */
const RANGES: readonly [outcome: number, least: number, most: number][] = [
  [60, 60, 100],
  [35, 35, 59],
  [0, 0, 34],
];

export function totalScore(dimensions: ScoreDimensions): number {
  const points = Object.values(dimensions).map((each) => each.points);
  const mean = Math.round(points.reduce((sum, each) => sum + each, 0) / points.length);
  const [, least, most] = RANGES.find(([outcome]) => dimensions.outcome.points >= outcome)!;
  return Math.min(Math.max(mean, least), most);
}
