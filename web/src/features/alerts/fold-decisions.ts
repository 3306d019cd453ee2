import type { GroupDecisionsQuery } from '../../graphql/gen/documents.ts';

export type Decision = NonNullable<GroupDecisionsQuery['alertGroup']>['decisions']['nodes'][number];

export interface FoldedDecision extends Omit<Decision, 'alert'> {
  /** Distinct titles of the alerts, sorted; empty if no alert caused the decision. */
  readonly titles: readonly string[];
  readonly alerts: number;
}

/** Merges adjacent decisions with equal time, outcome, reason and rule, because they stem from one delivery. */
export function foldDecisions(decisions: readonly Decision[]): readonly FoldedDecision[] {
  const folded: FoldedDecision[] = [];
  for (const { alert, ...decision } of decisions) {
    const titles = alert === null ? [] : [alert.title];
    const last = folded.at(-1);
    if (last !== undefined && isSame(last, decision)) {
      folded[folded.length - 1] = {
        ...last,
        titles: [...new Set([...last.titles, ...titles])].sort(),
        alerts: last.alerts + titles.length,
      };
    } else folded.push({ ...decision, titles, alerts: titles.length });
  }
  return folded;
}

function isSame(a: Omit<Decision, 'alert'>, b: Omit<Decision, 'alert'>): boolean {
  return a.at === b.at && a.outcome === b.outcome && a.reason === b.reason && a.rule === b.rule;
}
