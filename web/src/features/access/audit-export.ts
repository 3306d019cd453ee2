import type { AuditEventItemFragment, AuditEventsQueryVariables } from '../../graphql/gen/documents.ts';
import { csvOf } from '../../lib/csv.ts';
import { targetOf } from './audit-target.ts';

export interface AuditPage {
  readonly totalCount: number;
  readonly nodes: readonly AuditEventItemFragment[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** Maximum number of events in an exported file, because the browser holds them in memory. */
const MAX_EVENTS = 10_000;
const PAGE_SIZE = 100;

/** Reads the events of all pages, at most `maxEvents`. `total` counts all matching events, including those not read. */
export async function readAll(
  variables: AuditEventsQueryVariables,
  read: (variables: AuditEventsQueryVariables) => Promise<AuditPage>,
  maxEvents = MAX_EVENTS,
): Promise<{ events: AuditEventItemFragment[]; total: number }> {
  const { actor, action, targetId, from, to } = variables;
  const filter = { actor, action, targetId, from, to };
  const events: AuditEventItemFragment[] = [];
  let after: string | null = null;
  for (;;) {
    const page: AuditPage = await read({
      ...filter,
      first: Math.min(PAGE_SIZE, maxEvents - events.length),
      after,
    });
    events.push(...page.nodes);
    after = page.pageInfo.endCursor;
    if (!page.pageInfo.hasNextPage || events.length >= maxEvents) return { events, total: page.totalCount };
  }
}

const COLUMNS = ['at', 'actor', 'via', 'address', 'action', 'target_type', 'target_id', 'detail'] as const;

export function toCsv(events: readonly AuditEventItemFragment[]): string {
  const rows = events.map(({ at, actor, via, address, action, targetId, detail }) => {
    const target = targetId === null ? null : targetOf(targetId);
    const known = detail === null ? '' : JSON.stringify(detail);
    return [at, actor, via, address ?? '', action, target?.type ?? '', target?.key ?? '', known];
  });
  return csvOf([COLUMNS, ...rows]);
}

export function toJson(events: readonly AuditEventItemFragment[]): string {
  const plain = events.map(({ id, at, actor, via, address, action, targetId, detail }) => ({
    ...{ id, at, actor, via, address, action, targetId, detail },
  }));
  return `${JSON.stringify(plain, null, 2)}\n`;
}
