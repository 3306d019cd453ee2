import { stat, writeFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { renderHelp } from '../../common/command-help.ts';
import { sanitize, sanitizeLine } from '../../common/printable.ts';
import { request, type Server } from '../api.ts';
import { parseCommandLine, parseEndpoint, parseToken } from '../args.ts';
import { checkCases, storeCases } from '../cases.ts';
import { CASE_DOCUMENT } from '../contract-cases.ts';
import { CliError, EXIT, usageError } from '../errors.ts';
import { DEFAULT_URL } from '../help.ts';
import { REPLAY_HELP } from '../help-cases.ts';
import { compareResults } from './compare.ts';
import { nightlyFiles, writeTrendPage } from './nightly.ts';
import {
  openResults,
  type Plan,
  type ResultItem,
  type Results,
  readResults,
  writeResults,
} from './results.ts';
import { isFinal, runPlan, spent } from './runner.ts';
import {
  formatCost,
  formatDuration,
  outcomesOf,
  plannedCount,
  providerName,
  renderJunit,
  renderTable,
} from './summary.ts';

interface Io {
  stdout: Writable;
  stderr: Writable;
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Replays cases and returns the exit status (see REPLAY_HELP). The result file holds what has run, so that the same
 * command resumes after an interruption.
 */
export async function runReplayCommand(argv: readonly string[], io: Io): Promise<number> {
  const interrupt = new AbortController();
  const onInterrupt = () => interrupt.abort();
  process.once('SIGINT', onInterrupt);
  try {
    const options = parseOptions(argv, io.env);
    if (options === null) io.stdout.write(renderHelp(REPLAY_HELP));
    return options === null ? EXIT.COMPLETED : await replayAll(options, io.stdout, interrupt.signal);
  } catch (error) {
    if (interrupt.signal.aborted) {
      io.stderr.write('Interrupted. Run the same command again to resume.\n');
      return EXIT.INTERRUPTED;
    }
    if (!(error instanceof CliError)) throw error;
    const hint = error.code === 'USAGE' ? `See \`${REPLAY_HELP.command} -- --help\`.` : error.hint;
    io.stderr.write(
      `${sanitizeLine(error.code)}: ${sanitize(error.message)}\n${hint === null ? '' : `${hint}\n`}`,
    );
    return error.exitCode;
  } finally {
    process.off('SIGINT', onInterrupt);
  }
}

type Options = NonNullable<ReturnType<typeof parseOptions>>;

function parseOptions(argv: readonly string[], env: Io['env']) {
  const { values, positionals } = parseCommandLine(REPLAY_HELP, argv);
  if (values.help === true) return null;
  if (positionals.length === 0) throw usageError('Name the cases: folders, or ids.');
  const runs = wholeNumber('runs', values.runs ?? '1', 100);
  const atLeast = wholeNumber('at-least', values['at-least'] ?? String(runs), runs);
  const budget = values.budget === undefined ? null : Number(values.budget);
  if (budget !== null && !(budget > 0))
    throw usageError('--budget must be an amount in US dollars, above 0.');
  const nightly = values.nightly ?? null;
  if (nightly !== null && values.out !== undefined)
    throw usageError('Give --nightly or --out, not both: --nightly names its result files itself.');
  const server: Server = {
    url: parseEndpoint(values.url ?? (env.TARSY_URL || DEFAULT_URL)),
    token: parseToken(env.TARSY_TOKEN),
    requiredScopes: 'READ,REVIEW',
  };
  return {
    ...{ server, cases: positionals, runs, atLeast, budgetUsd: budget },
    providers: values.provider && values.provider.length > 0 ? [...new Set(values.provider)] : [null],
    concurrency: wholeNumber('concurrency', values.concurrency ?? '2', 50),
    out: values.out ?? 'replay-results.json',
    junit: values.junit ?? null,
    baseline: values.baseline ?? null,
    nightly,
  };
}

function wholeNumber(name: string, text: string, max: number): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > max) throw usageError(`--${name} must be a whole number from 1 to ${max}.`);
  return value;
}

async function replayAll(options: Options, out: Writable, signal: AbortSignal): Promise<number> {
  const { atLeast, nightly } = options;
  if (options.baseline !== null) await readBaseline(options.baseline);
  const plan = await planOf(options);
  const files = nightly === null ? null : await nightlyFiles(nightly, plan, new Date());
  const baselinePath = options.baseline ?? files?.previous ?? null;
  const baseline = baselinePath === null ? null : await readBaseline(baselinePath);
  const path = files?.out ?? options.out;
  const results = await openResults(path, plan);
  const total = plannedCount(results);
  const done = () => results.results.filter(isFinal).length;
  if (done() > 0) out.write(`Resuming: ${done()} of ${total} replays have ended.\n`);
  // One write after the other, because each replaces the file.
  let saving = Promise.resolve();
  const save = () => {
    saving = saving.then(() => writeResults(path, results));
    return saving;
  };
  const skipped = await runPlan({
    ...{ server: options.server, results, concurrency: options.concurrency, budgetUsd: options.budgetUsd },
    ...{ signal, save },
    async ended(item) {
      out.write(`[${done()}/${total}] ${describe(item)}\n`);
    },
  });
  await save();
  out.write(`\n${sanitize(renderTable(results, atLeast))}`);
  if (skipped > 0)
    out.write(`The budget is used up (${formatCost(spent(results))}): ${skipped} replays not run.\n`);
  if (options.junit !== null) await writeFile(options.junit, renderJunit(results, atLeast));
  if (nightly !== null) out.write(`Trend: ${sanitizeLine(await writeTrendPage(nightly, atLeast))}\n`);
  const comparison = baseline === null ? null : compareResults(results, baseline);
  if (comparison !== null) out.write(`\n${sanitize(comparison.text)}`);
  const outcomes = outcomesOf(results, atLeast);
  if ((comparison?.worse ?? 0) > 0 || outcomes.some(({ outcome }) => outcome === 'FAILED'))
    return EXIT.FAILED;
  return outcomes.every(({ outcome }) => outcome === 'PASSED') ? EXIT.COMPLETED : EXIT.INCONCLUSIVE;
}

/** Reads earlier results to compare with. @throws CliError if there are none */
async function readBaseline(path: string): Promise<Results> {
  const results = await readResults(path);
  if (results !== null) return results;
  throw new CliError(EXIT.USAGE, 'FILE_UNREADABLE', `There is no file ${path}.`);
}

function describe({ case: name, provider, run, ...item }: ResultItem): string {
  const result = item.passed === null ? 'inconclusive' : item.passed ? 'passed' : 'failed';
  const wrong = item.confidentlyWrong ? ', confidently wrong' : '';
  const left = item.unrecordedCalls > 0 ? `, ${item.unrecordedCalls} unrecorded` : '';
  const facts = `${formatDuration(item.durationMs)}, ${formatCost(item.costUsd)}`;
  return sanitizeLine(`${name}, ${providerName(provider)}, run ${run}: ${result}${wrong}${left} (${facts})`);
}

/** Checks all files before anything is sent, then stores the cases on the server. Other arguments are ids. */
async function planOf({ server, cases, providers, runs }: Options): Promise<Plan> {
  const folders = new Set<string>();
  for (const argument of cases) if ((await stat(argument).catch(() => null)) !== null) folders.add(argument);
  for (const folder of folders) await checkCases(folder);
  const planned: Plan['cases'] = [];
  for (const argument of cases)
    if (folders.has(argument)) planned.push(...(await storeCases(server, argument)).map(pick));
    else planned.push(await caseById(server, argument));
  const names = planned.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw usageError(`Two cases are named ${twice}. Names must differ.`);
  return { cases: planned, providers, runs };
}

const pick = ({ id, name }: { id: string; name: string }) => ({ name, id });

async function caseById(server: Server, id: string): Promise<Plan['cases'][number]> {
  const { node } = await request<{ node: { name?: string } | null }>(server, {
    document: CASE_DOCUMENT.replace(' document ', ' '),
    variables: { id },
  });
  if (!node?.name) throw new CliError(EXIT.USAGE, 'NOT_FOUND', `There is neither a folder nor a case ${id}.`);
  return { name: node.name, id };
}
