import { dirname } from 'node:path';
import { z } from 'zod';
import type { CaseCall, CaseTool } from '../document.ts';
import { checked } from '../errors.ts';
import type { Importer } from './importer.ts';
import { type Budget, fileIn, newBudget, parseJson, type Source } from './source.ts';
import { NO_TIME, recordingTime } from './times.ts';

const TEST_CASE = 'test_case.yaml';
const REQUEST = 'investigate_request.json';

const texts = z.union([z.string().transform((text) => [text]), z.array(z.string())]);
const testCase = z.looseObject({
  user_prompt: texts.optional(),
  expected_output: texts.default([]),
});

const jsonObject = z.record(z.string(), z.unknown());
const head = z.looseObject({
  toolset_name: z.string().default(''),
  tool_name: z.string().min(1),
  match_params: jsonObject.nullish(),
});
const result = z.looseObject({
  schema_version: z.string(),
  status: z.enum(['success', 'error', 'no_data']).default('success'),
  error: z.string().nullish(),
  params: jsonObject.nullish(),
});

/**
 * HolmesGPT: a folder with `test_case.yaml` and recorded tool results in text files. The expected sentences are kept as
 * notes, because only a reader can judge them. Commands before and after a test never run.
 */
export const holmesGpt: Importer = async (source, { server, recordedAt }) => ({
  paths: source.files.filter((file) => /(?:^|\/)test_case\.yaml$/.test(file)).map((file) => dirname(file)),
  async read(path) {
    const budget = newBudget();
    const file = fileIn(path, TEST_CASE);
    const { data, locate } = await source.yaml(file, budget);
    const { user_prompt: prompt, expected_output: expected } = checked<z.output<typeof testCase>>(
      testCase,
      data,
      locate,
    );
    const recordings = await readRecordings(source, path, budget);
    if (recordings.length === 0) return 'it has no recorded tool results, and TARSy does not run its set-up';
    const alert = prompt?.join('\n') ?? (await requestOf(source, path, budget));
    if (alert === null) throw source.problem(file, 1, `needs a user_prompt, or a file ${REQUEST} beside it`);
    const instructions = await optionalText(source, fileIn(path, 'resource_instructions.json'), budget);
    const time = recordedAt ?? recordingTime([alert, ...recordings.map(({ call }) => call.output)]);
    if (time === null) return NO_TIME;
    return {
      world: 'open',
      recorded_at: time,
      notes: notesOf(expected),
      alert,
      ...(instructions !== null && { runbook: instructions }),
      tools: toolsOf(server, recordings),
      calls: recordings.map(({ call }) => ({ ...call, server })),
    };
  },
});

async function requestOf(source: Source, path: string, budget: Budget): Promise<string | null> {
  const request = await optionalText(source, fileIn(path, REQUEST), budget);
  const issue = await optionalText(source, fileIn(path, 'issue_data.json'), budget);
  return request === null ? null : [request, ...(issue === null ? [] : [issue])].join('\n\n');
}

async function optionalText(source: Source, file: string, budget: Budget): Promise<string | null> {
  if (!source.has(file)) return null;
  const text = (await source.text(file, budget)).trim();
  return text === '' ? null : text;
}

function notesOf(expected: readonly string[]): string {
  const sentences = expected.map((sentence) => `- ${sentence.trim()}`);
  return ['Imported from HolmesGPT. A right answer says, as a reader judges:', ...sentences].join('\n');
}

interface Recording {
  toolset: string;
  /** Parameters of the recorded call. Some may match every value. */
  parameters: Record<string, unknown>;
  call: Pick<CaseCall, 'tool' | 'arguments' | 'error' | 'output'> & { partial?: true };
}

async function readRecordings(source: Source, path: string, budget: Budget): Promise<Recording[]> {
  const files = source.files.filter((file) => file.endsWith('.txt') && dirname(file) === path);
  const read: Recording[] = [];
  for (const file of files) {
    const recording = parseRecording(source, file, await source.text(file, budget));
    if (recording !== null) read.push(recording);
  }
  return read;
}

/** Parses a recorded result; `null` if a text file is none. @throws CaseError */
function parseRecording(source: Source, file: string, text: string): Recording | null {
  if (!text.startsWith('{')) return null;
  const lines = text.split('\n');
  const at = (line: number) => () => ({ file: source.shown(file), line });
  const read = <T>(schema: z.ZodType<T>, index: number) =>
    checked<T>(schema, parseJson(source.shown(file), lines[index]!, index).data, at(index + 1));
  const { toolset_name: toolset, tool_name: tool, match_params: match } = read(head, 0);
  // Older recordings have no second line about the result.
  const hasResult = /^\{.*"schema_version"/.test(lines[1] ?? '');
  const found = hasResult ? read(result, 1) : { status: 'success' as const, error: null, params: null };
  if ('schema_version' in found && !/^robusta:v1\./.test(found.schema_version))
    throw source.problem(file, 2, `has the format ${found.schema_version}; robusta:v1 can be imported`);
  const given = Object.entries(match ?? {});
  const fixed = Object.fromEntries(given.filter(([, value]) => value !== null));
  const isPartial = match === null || match === undefined || given.some(([, value]) => value === null);
  const rest = lines.slice(hasResult ? 2 : 1).join('\n');
  const output = rest.trim() === '' ? (found.error ?? 'The tool returned no data.') : rest;
  return {
    toolset,
    parameters: { ...match, ...found.params },
    call: {
      ...{ tool: tool.replace(/[^\w-]/g, '_').slice(0, 64), arguments: fixed, output },
      error: found.status === 'error',
      ...(isPartial && { partial: true as const }),
    },
  };
}

/** Returns the recorded tools. Their schemas list the recorded parameters, because the suite does not have them. */
function toolsOf(server: string, recordings: readonly Recording[]): Partial<CaseTool>[] {
  const byTool = Map.groupBy(recordings, ({ call }) => call.tool);
  return [...byTool].sort().map(([name, own]) => {
    const names = [...new Set(own.flatMap(({ parameters }) => Object.keys(parameters)))].sort();
    return {
      ...{ server, name, description: `Tool of the toolset ${own[0]!.toolset || 'of the recording'}.` },
      input_schema: { type: 'object', properties: Object.fromEntries(names.map((key) => [key, {}])) },
      annotations: { read_only: true },
    };
  });
}
