import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { checked } from '../errors.ts';
import { causeCheck, type Importer, readAll } from './importer.ts';
import { telemetryTool } from './opensre-telemetry.ts';
import { type Budget, fileIn, newBudget, type Source } from './source.ts';
import { NO_TIME, recordingTime } from './times.ts';

const SCENARIO = 'scenario.yml';
const ANSWER = 'answer.yml';
const ALERT = 'alert.json';
/** Longest chain of scenarios that inherit from each other. */
const MAX_BASES = 5;

const scenario = z.looseObject({
  base: z.string().optional(),
  failure_mode: z.string().optional(),
  available_evidence: z.array(z.string()).optional(),
});
const words = z.array(z.string()).default([]);
const answer = z.looseObject({
  root_cause_category: z.string().trim().min(1),
  required_keywords: words,
  forbidden_categories: words,
});
type Answer = z.output<typeof answer>;

/**
 * OpenSRE: a folder with `scenario.yml`, `alert.json`, `answer.yml` and one JSON file for each source of telemetry.
 * Missing files come from the scenario that is named as `base`. Each source becomes a tool.
 */
export const openSre: Importer = async (source, { server, recordedAt }) => {
  const paths = source.files
    .filter((file) => basename(file) === SCENARIO)
    .map((file) => dirname(file))
    .filter((path) => source.has(fileIn(path, ANSWER)));
  const answers = await readAll(paths, (path) => readAnswer(source, path));
  const causes = answers.flatMap((one) => [one.root_cause_category, ...one.forbidden_categories]);
  return {
    paths,
    async read(path) {
      const budget = newBudget();
      const right = await readAnswer(source, path);
      const { files, evidence, mode } = await filesOf(source, path, budget);
      const alertFile = files.get(ALERT);
      if (alertFile === undefined) throw source.problem(fileIn(path, SCENARIO), 0, `there is no ${ALERT}`);
      const alert = alertOf((await source.json(alertFile, budget)).data);
      const read = [];
      for (const [name, file] of files)
        if (name !== ALERT && isAvailable(name, evidence))
          read.push(await telemetryTool(source, file, budget));
      if (read.length === 0) return 'it has no telemetry';
      const time =
        recordedAt ??
        recordingTime([alert, ...read.flatMap(({ calls }) => calls.map(({ output }) => output))]);
      if (time === null) return NO_TIME;
      return {
        world: 'closed',
        recorded_at: time,
        notes: notesOf(right, mode),
        alert,
        expect: causeCheck(right.root_cause_category, causes),
        tools: read.map(({ tool }) => ({ server, ...tool })),
        calls: read.flatMap(({ tool, calls }) => calls.map((call) => ({ server, tool: tool.name, ...call }))),
      };
    },
  };
};

async function readAnswer(source: Source, path: string): Promise<Answer> {
  const { data, locate } = await source.yaml(fileIn(path, ANSWER), newBudget());
  return checked<Answer>(answer, data, locate);
}

interface ScenarioFiles {
  /** Paths of the JSON files by their names, sorted. */
  files: ReadonlyMap<string, string>;
  evidence: readonly string[] | null;
  mode: string | null;
}

/** Returns the files of a scenario: its own, and those of its bases that it lacks. @throws CaseError */
async function filesOf(source: Source, path: string, budget: Budget): Promise<ScenarioFiles> {
  const files = new Map<string, string>();
  let evidence: readonly string[] | null = null;
  let mode: string | null = null;
  let current = path;
  for (let depth = 0; ; depth += 1) {
    const file = fileIn(current, SCENARIO);
    const { data, locate } = await source.yaml(file, budget);
    const read = checked<z.output<typeof scenario>>(scenario, data, locate);
    evidence ??= read.available_evidence ?? null;
    mode ??= read.failure_mode ?? null;
    for (const own of source.files.filter((one) => one.endsWith('.json') && dirname(one) === current))
      if (!files.has(basename(own))) files.set(basename(own), own);
    if (!read.base) break;
    const { line } = locate(['base']);
    if (!/^[\w.-]+$/.test(read.base) || read.base.startsWith('.'))
      throw source.problem(file, line, `base must be the name of a folder beside this one, not ${read.base}`);
    current = join(dirname(current), read.base);
    if (!source.has(fileIn(current, SCENARIO)))
      throw source.problem(file, line, `the base ${read.base} is not in the folder; name the whole suite`);
    if (depth >= MAX_BASES)
      throw source.problem(file, line, `more than ${MAX_BASES} bases, or a circle of them`);
  }
  return { files: new Map([...files].sort()), evidence, mode };
}

/** True if a file is among the available sources. The prefix of the provider may differ in both names. */
function isAvailable(file: string, evidence: readonly string[] | null): boolean {
  const bare = (name: string) => name.replace(/^(?:(?:aws|cloudwatch|datadog|eks|rds)_)+|\.json$/g, '');
  return evidence === null || evidence.some((one) => bare(one) === bare(file));
}

/** Returns the alert without the fields that give the answer away. */
function alertOf(data: unknown): string {
  return JSON.stringify(data, (key, value) => (/failure_mode$/.test(key) ? undefined : value), 2);
}

function notesOf({ required_keywords: keywords }: Answer, mode: string | null): string {
  return [
    `Imported from OpenSRE.${mode === null ? '' : ` Failure mode: ${mode}.`}`,
    ...(keywords.length === 0
      ? []
      : [`A right answer also mentions: ${keywords.join(', ')}. This is not checked.`]),
  ].join('\n');
}
