import type { ResultItem, Results } from './results.ts';
import { isFinal, slotsOf } from './runner.ts';

/** The result of a case with a provider, over all runs. */
export interface CaseOutcome {
  case: string;
  provider: string | null;
  runs: number;
  passed: number;
  failed: number;
  inconclusive: number;
  /** Runs that were not made or have not ended. */
  missing: number;
  confidentlyWrong: number;
  unrecordedCalls: number;
  /** Mean per ended run; `null` if unknown. */
  costUsd: number | null;
  durationMs: number | null;
  tokens: number | null;
  outcome: 'PASSED' | 'FAILED' | 'INCONCLUSIVE';
  /** Checks that failed in any run, with their first detail. */
  problems: { name: string; detail: string }[];
}

/** Returns the outcome per case and provider, in the order of the plan. @param atLeast runs that must pass */
export function outcomesOf(results: Results, atLeast: number): CaseOutcome[] {
  const { plan } = results;
  return plan.cases.flatMap(({ name }) =>
    plan.providers.map((provider) => {
      const items = results.results.filter((item) => item.case === name && item.provider === provider);
      return outcomeOf({ case: name, provider, runs: plan.runs }, items.filter(isFinal), atLeast);
    }),
  );
}

function outcomeOf(
  of: Pick<CaseOutcome, 'case' | 'provider' | 'runs'>,
  ended: readonly ResultItem[],
  atLeast: number,
): CaseOutcome {
  const passed = ended.filter((item) => item.passed === true).length;
  const failed = ended.filter((item) => item.passed === false).length;
  const confidentlyWrong = ended.filter((item) => item.confidentlyWrong).length;
  const problems = new Map<string, { name: string; detail: string }>();
  for (const check of ended.flatMap(({ checks }) => checks))
    if (!check.passed && !problems.has(check.name)) problems.set(check.name, check);
  const hasFailed = confidentlyWrong > 0 || failed > of.runs - atLeast;
  return {
    ...of,
    ...{ passed, failed, confidentlyWrong, problems: [...problems.values()] },
    inconclusive: ended.length - passed - failed,
    missing: of.runs - ended.length,
    unrecordedCalls: ended.reduce((sum, item) => sum + item.unrecordedCalls, 0),
    costUsd: mean(ended.map(({ costUsd }) => costUsd)),
    durationMs: mean(ended.map(({ durationMs }) => durationMs)),
    tokens: mean(ended.map(({ tokens }) => tokens)),
    outcome: hasFailed ? 'FAILED' : passed >= atLeast ? 'PASSED' : 'INCONCLUSIVE',
  };
}

/** Returns the mean of the known values; `null` if none is known. */
function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** Returns the 95 % confidence interval (Wilson) of a share: `passed` of `runs`. */
export function confidenceInterval(passed: number, runs: number): [low: number, high: number] {
  if (runs === 0) return [0, 1];
  const z = 1.96;
  const share = passed / runs;
  const center = share + z ** 2 / (2 * runs);
  const spread = z * Math.sqrt((share * (1 - share)) / runs + z ** 2 / (4 * runs ** 2));
  const scale = 1 + z ** 2 / runs;
  return [Math.max(0, (center - spread) / scale), Math.min(1, (center + spread) / scale)];
}

/** Renders the table of outcomes, the totals of each provider, and the confidently wrong replays apart. */
export function renderTable(results: Results, atLeast: number): string {
  const outcomes = outcomesOf(results, atLeast);
  const rows = outcomes.map((one) => [
    one.outcome,
    one.case,
    providerName(one.provider),
    `${one.passed}/${one.runs}`,
    String(one.unrecordedCalls),
    formatCost(one.costUsd),
    formatDuration(one.durationMs),
    one.problems.map(({ name }) => name).join(', '),
  ]);
  const head = ['result', 'case', 'provider', 'passed', 'unrecorded', 'cost', 'time', 'failed checks'];
  const totals = results.plan.providers.map((provider) => totalOf(outcomes, provider));
  return `${[...aligned([head, ...rows]), '', ...totals].join('\n')}\n`;
}

function totalOf(outcomes: readonly CaseOutcome[], provider: string | null): string {
  const own = outcomes.filter((one) => one.provider === provider);
  const passed = sum(own, 'passed');
  const decided = passed + sum(own, 'failed');
  const [low, high] = confidenceInterval(passed, decided);
  const percent = (share: number) => `${Math.round(100 * share)} %`;
  const rate =
    decided === 0
      ? 'no replay was decided'
      : `${passed} of ${decided} passed (${percent(passed / decided)}, 95 % interval ${percent(low)} to ${percent(high)})`;
  return `${providerName(provider)}: ${rate}; ${sum(own, 'inconclusive')} inconclusive; ${sum(own, 'missing')} not run; confidently wrong: ${sum(own, 'confidentlyWrong')}`;
}

type Count = 'passed' | 'failed' | 'inconclusive' | 'missing' | 'confidentlyWrong';
const sum = (outcomes: readonly CaseOutcome[], name: Count): number =>
  outcomes.reduce((total, one) => total + one[name], 0);

/** Returns rows whose columns are padded to the same width. */
export function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

export const providerName = (provider: string | null): string => provider ?? 'configured';

export function formatCost(usd: number | null): string {
  return usd === null ? '?' : `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`;
}

export function formatDuration(ms: number | null): string {
  return ms === null ? '?' : `${(ms / 1000).toFixed(1)} s`;
}

/** Returns the outcomes as JUnit XML: a suite for each provider, a test for each case. */
export function renderJunit(results: Results, atLeast: number): string {
  const outcomes = outcomesOf(results, atLeast);
  const suites = results.plan.providers.map((provider) => {
    const own = outcomes.filter((one) => one.provider === provider);
    const count = (outcome: CaseOutcome['outcome']) => own.filter((one) => one.outcome === outcome).length;
    const name = xml(`replay ${providerName(provider)}`);
    return [
      `  <testsuite name="${name}" tests="${own.length}" failures="${count('FAILED')}" skipped="${count('INCONCLUSIVE')}">`,
      ...own.map(junitCase),
      '  </testsuite>',
    ].join('\n');
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('\n')}\n</testsuites>\n`;
}

function junitCase(one: CaseOutcome): string {
  const time = ((one.durationMs ?? 0) / 1000).toFixed(3);
  const open = `    <testcase classname="${xml(providerName(one.provider))}" name="${xml(one.case)}" time="${time}"`;
  if (one.outcome === 'PASSED') return `${open}/>`;
  const wrong = one.confidentlyWrong > 0 ? `; confidently wrong: ${one.confidentlyWrong}` : '';
  const said = `${one.passed} of ${one.runs} runs passed, ${one.inconclusive} inconclusive, ${one.missing} not run${wrong}`;
  if (one.outcome === 'INCONCLUSIVE') return `${open}><skipped message="${xml(said)}"/></testcase>`;
  const details = one.problems.map(({ name, detail }) => `${name}: ${detail}`).join('\n');
  return `${open}><failure message="${xml(said)}">${xml(details)}</failure></testcase>`;
}

/** Escapes text for XML. Characters that XML does not allow become U+FFFD. */
function xml(text: string): string {
  const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"]/g, (character) => escapes[character]!);
}

/** Returns the number of replays that a plan asks for. */
export const plannedCount = ({ plan }: Results): number => slotsOf(plan).length;
