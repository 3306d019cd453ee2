import type { GroupDecisionsQuery } from '../../graphql/gen/documents.ts';

export type Decision = NonNullable<GroupDecisionsQuery['alertGroup']>['decisions']['nodes'][number];

/** What was decided once, about as many alerts as it was decided for. */
export interface FoldedDecision extends Omit<Decision, 'alert'> {
  /** Titles, each once, by name; empty when no delivery asked for it. */
  readonly titles: readonly string[];
  /** Alerts that it was decided for. */
  readonly alerts: number;
}

/** Each alert of a delivery has its decision, and all of them are one: they are told once. */
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
