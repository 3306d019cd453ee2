import type { Results } from './results.ts';
import {
  aligned,
  type CaseOutcome,
  formatCost,
  formatDuration,
  outcomesOf,
  providerName,
} from './summary.ts';

/** Change of mean cost or duration (share) from which a case counts as dearer, cheaper, slower or faster. */
const NOTABLE = 0.2;

/** The change of a case against the same case in an earlier result file. */
interface Change {
  now: CaseOutcome;
  before: CaseOutcome;
  /** worse or better if the result changed between more than half and at most half of the decided runs passing. */
  quality: 'worse' | 'better' | 'same' | 'undecided';
}

export interface Comparison {
  worse: number;
  text: string;
}

/**
 * Compares results with earlier ones, worst change first. A provider is compared with itself, or with the only provider
 * of the earlier file.
 */
export function compareResults(now: Results, earlier: Results): Comparison {
  const before = outcomesOf(earlier, 1);
  const [only, ...others] = earlier.plan.providers;
  const changes = outcomesOf(now, 1).flatMap((one): Change[] => {
    const provider =
      others.length === 0 && !now.plan.providers.includes(only ?? null) ? (only ?? null) : one.provider;
    const match = before.find((old) => old.case === one.case && old.provider === provider);
    return match ? [{ now: one, before: match, quality: qualityOf(one, match) }] : [];
  });
  const count = (quality: Change['quality']) => changes.filter((change) => change.quality === quality).length;
  const head = `Compared with the earlier results: ${count('worse')} worse, ${count('better')} better, ${count('same')} same, ${count('undecided')} undecided.`;
  const shown = changes.filter(({ quality, ...change }) => quality !== 'same' || notes(change).length > 0);
  const order = ['worse', 'undecided', 'better', 'same'];
  const rows = shown
    .toSorted((a, b) => order.indexOf(a.quality) - order.indexOf(b.quality))
    .map(({ quality, ...change }) => [
      quality,
      change.now.case,
      providerName(change.now.provider),
      `${change.before.passed}/${change.before.runs} → ${change.now.passed}/${change.now.runs}`,
      notes(change).join(', '),
    ]);
  const table = rows.length === 0 ? [] : aligned([['change', 'case', 'provider', 'passed', 'also'], ...rows]);
  return { worse: count('worse'), text: `${[head, ...table].join('\n')}\n` };
}

function qualityOf(now: CaseOutcome, before: CaseOutcome): Change['quality'] {
  const [is, was] = [mostPass(now), mostPass(before)];
  if (is === null || was === null) return is === was ? 'same' : 'undecided';
  return is === was ? 'same' : is ? 'better' : 'worse';
}

/** True if more than half of the decided runs passed; `null` if no run was decided. */
function mostPass({ passed, failed }: CaseOutcome): boolean | null {
  return passed + failed === 0 ? null : passed > failed;
}

function notes({ now, before }: Pick<Change, 'now' | 'before'>): string[] {
  return [
    ...note(['dearer', 'cheaper'], [before.costUsd, now.costUsd], formatCost),
    ...note(['slower', 'faster'], [before.durationMs, now.durationMs], formatDuration),
    ...(now.confidentlyWrong > before.confidentlyWrong ? ['more confidently wrong'] : []),
  ];
}

function note(
  [more, less]: [string, string],
  [before, now]: [number | null, number | null],
  format: (value: number) => string,
): string[] {
  if (before === null || now === null || before === 0) return [];
  const change = now / before - 1;
  if (Math.abs(change) < NOTABLE) return [];
  return [`${change > 0 ? more : less} (${format(before)} → ${format(now)})`];
}
