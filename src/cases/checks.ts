import type { Verdict } from '../db/enums.ts';
import type { CaseDocument, CaseExpectation } from './document.ts';
import { compileExpectation } from './patterns.ts';

export interface ReplayCheck {
  name: 'completed' | 'verdict' | 'mustSay' | 'mustNotSay' | 'entities' | 'confidence' | 'cause';
  passed: boolean;
  detail: string;
}

/** The outcome of a replay's session that the checks read. */
export interface ReplayOutcome {
  status: 'COMPLETED' | 'FAILED' | 'CANCELLED';
  errorMessage: string | null;
  report: {
    verdict: Verdict;
    headline: string;
    confidence: number;
    entities: readonly string[];
    claims: readonly { text: string }[];
  } | null;
  /** Cause that the model chose; `null` if it chose none. */
  cause: string | null;
  unrecordedCalls: number;
}

export interface ReplayResult {
  /** `null` if the replay is inconclusive: cancelled, or outside of what was recorded. */
  passed: boolean | null;
  /** True if the answer is wrong and the model's confidence was at least CONFIDENT. */
  confidentlyWrong: boolean;
  checks: ReplayCheck[];
}

/** Confidence from which a wrong answer counts as confidently wrong. */
const CONFIDENT = 0.7;

/** Compares the outcome of a replay with what its case expects. */
export function checkReplay(
  {
    world,
    expect,
    max_unrecorded_calls: limit,
  }: Pick<CaseDocument, 'world' | 'expect' | 'max_unrecorded_calls'>,
  outcome: ReplayOutcome,
): ReplayResult {
  if (outcome.status === 'CANCELLED') return { passed: null, confidentlyWrong: false, checks: [] };
  const { report, unrecordedCalls } = outcome;
  const checks: ReplayCheck[] = [
    {
      name: 'completed',
      passed: outcome.status === 'COMPLETED' && report !== null,
      detail: outcome.errorMessage ?? (report === null ? 'There is no report.' : 'The report was written.'),
    },
    ...(report === null ? [] : answerChecks(expect, report, outcome.cause)),
  ];
  const passed = checks.every((check) => check.passed);
  // An unrecorded call may be the reason of a wrong answer in an open world, but not of a right one.
  const left = world === 'open' && (unrecordedCalls > limit || (!passed && unrecordedCalls > 0));
  const confidentlyWrong = !passed && !left && report !== null && report.confidence >= CONFIDENT;
  return { passed: left ? null : passed, confidentlyWrong, checks };
}

function answerChecks(
  expect: CaseExpectation,
  report: NonNullable<ReplayOutcome['report']>,
  cause: string | null,
): ReplayCheck[] {
  const texts = report.claims.map(({ text }) => text);
  const checks: ReplayCheck[] = [];
  if (expect.verdict !== undefined) {
    const passed = report.verdict === expect.verdict;
    checks.push({ name: 'verdict', passed, detail: `${report.verdict}, expected ${expect.verdict}` });
  }
  for (const pattern of expect.must_say) {
    const matching = texts.find(compileExpectation(pattern));
    const detail = matching ?? `no claim matches ${pattern}`;
    checks.push({ name: 'mustSay', passed: matching !== undefined, detail });
  }
  for (const pattern of expect.must_not_say) {
    const matching = [report.headline, ...texts].find(compileExpectation(pattern));
    const detail = matching ?? `no claim matches ${pattern}`;
    checks.push({ name: 'mustNotSay', passed: matching === undefined, detail });
  }
  if (expect.entities.length > 0) {
    const named = new Set(report.entities.flatMap(namesOf));
    const missing = expect.entities.filter((entity) => !named.has(plain(entity)));
    const detail = missing.length === 0 ? 'all are named' : `missing: ${missing.join(', ')}`;
    checks.push({ name: 'entities', passed: missing.length === 0, detail });
  }
  if (expect.min_confidence !== undefined) {
    const passed = report.confidence >= expect.min_confidence;
    const detail = `${report.confidence}, expected at least ${expect.min_confidence}`;
    checks.push({ name: 'confidence', passed, detail });
  }
  if (expect.cause !== undefined) {
    const detail = `${cause ?? 'none was chosen'}, expected ${expect.cause}`;
    checks.push({ name: 'cause', passed: cause === expect.cause, detail });
  }
  return checks;
}

/** Returns the forms of an entity: as written, without its kind (`pod web-1`) and without its namespace (`shop/web-1`). */
function namesOf(entity: string): string[] {
  const whole = plain(entity);
  const [kind, ...rest] = whole.split(' ');
  const name = rest.length === 0 ? kind! : rest.join(' ');
  // A path starts with a slash and is one name.
  return [whole, name, ...(name.startsWith('/') ? [] : [name.slice(name.lastIndexOf('/') + 1)])];
}

const plain = (entity: string) => entity.trim().replace(/\s+/g, ' ').toLowerCase();
