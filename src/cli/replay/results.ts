import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { CliError, EXIT } from '../errors.ts';

const item = z.object({
  case: z.string(),
  provider: z.string().nullable(),
  run: z.int().min(1),
  replayId: z.string(),
  status: z.enum(['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED', 'GONE']),
  passed: z.boolean().nullable(),
  confidentlyWrong: z.boolean(),
  unrecordedCalls: z.int(),
  model: z.string(),
  configHash: z.string(),
  verdict: z.string().nullable(),
  confidence: z.number().nullable(),
  evidenceScore: z.number().nullable(),
  costUsd: z.number().nullable(),
  tokens: z.number(),
  durationMs: z.number().nullable(),
  checks: z.array(z.object({ name: z.string(), passed: z.boolean(), detail: z.string() })),
});

const plan = z.object({
  cases: z.array(z.object({ name: z.string(), id: z.string() })),
  providers: z.array(z.string().nullable()),
  runs: z.int().min(1),
});

const file = z.object({
  format: z.literal('tarsy-replays'),
  version: z.literal(1),
  /** Suite on the server, the same after an interruption. */
  suiteId: z.uuid().default(randomUUID),
  plan,
  results: z.array(item),
});

/** The replays to make: each case with each provider, `runs` times. A provider of `null`: as configured. */
export type Plan = z.output<typeof plan>;
export type ResultItem = z.output<typeof item>;
export type Results = z.output<typeof file>;

/** Reads a result file; `null` if there is none. @throws CliError if it is no result file */
export async function readResults(path: string): Promise<Results | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new CliError(EXIT.USAGE, 'FILE_UNREADABLE', `${path} cannot be read.`);
  }
  try {
    return file.parse(JSON.parse(text));
  } catch {
    throw new CliError(EXIT.USAGE, 'RESULTS_INVALID', `${path} is no result file of npm run replay.`);
  }
}

/** Writes a result file as a whole, so that a killed command leaves the old one or the new one. */
export async function writeResults(path: string, results: Results): Promise<void> {
  const temporary = `${path}.new`;
  await writeFile(temporary, `${JSON.stringify(results, null, 2)}\n`);
  await rename(temporary, path);
}

/** Returns the results of a plan so far. @throws CliError if the file belongs to another plan */
export async function openResults(path: string, wanted: Plan): Promise<Results> {
  const stored = await readResults(path);
  if (stored === null) {
    return { format: 'tarsy-replays', version: 1, suiteId: randomUUID(), plan: wanted, results: [] };
  }
  if (JSON.stringify(stored.plan) === JSON.stringify(wanted)) return stored;
  throw new CliError(
    EXIT.USAGE,
    'OTHER_PLAN',
    `${path} has results of other cases, providers or runs.`,
    'Give another file with --out, or remove this one.',
  );
}
