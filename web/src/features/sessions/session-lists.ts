import type { SessionChangeFragment, SessionRowFragment } from '../../graphql/gen/documents.ts';
import { isFinished } from '../../lib/status.ts';

/** What runs, newest first, and what waits, in the order in which it will run. */
export interface SessionLists {
  readonly active: readonly SessionRowFragment[];
  readonly queued: readonly SessionRowFragment[];
  /** Sessions that a change told of and whose rows are not known yet. */
  readonly unknown: readonly string[];
  /** More wait than are listed. */
  readonly more: boolean;
}

// So that what is listed is never nearly used up, and is not read again for each that begins.
const REFILL_BELOW = 400;

/** Places of the queue that the API lists and tells. */
const QUEUE_LIMIT = 500;

/** The lists as they were just read. */
export function listsOf(active: readonly SessionRowFragment[], queued: readonly SessionRowFragment[]) {
  return arrange([...active, ...queued], [], queued.length >= QUEUE_LIMIT);
}

/** Whether so many of the queue have begun that the next are to be read. */
export function needsRefill({ queued, more }: SessionLists): boolean {
  return more && queued.length < REFILL_BELOW;
}

/** The lists after a session changed: its row moves to where it belongs, or leaves when it has ended. */
export function foldChange(lists: SessionLists, change: SessionChangeFragment): SessionLists {
  const rows = [...lists.active, ...lists.queued];
  const known = rows.find((row) => row.id === change.id);
  if (isFinished(change.status)) {
    return arrange(
      rows.filter((row) => row.id !== change.id),
      lists.unknown.filter((id) => id !== change.id),
      lists.more,
    );
  }
  if (known === undefined) {
    if (isBeyond(lists, change)) return lists.more ? lists : { ...lists, more: true };
    return lists.unknown.includes(change.id) ? lists : { ...lists, unknown: [...lists.unknown, change.id] };
  }
  return arrange(
    rows.map((row) => (row === known ? { ...known, ...change } : row)),
    lists.unknown,
    lists.more,
  );
}

/** The place of a session of these lists as it follows its status. */
export function placeOf({ status, queuePosition }: SessionRowFragment): string | undefined {
  if (status !== 'PENDING') return undefined;
  return queuePosition === null ? `#${QUEUE_LIMIT}+` : `#${queuePosition}`;
}

/** Whether it waits behind those that are listed. In a short queue, no place means that it began meanwhile. */
function isBeyond({ queued }: SessionLists, { status, queuePosition }: SessionChangeFragment): boolean {
  return status === 'PENDING' && queuePosition === null && queued.length >= REFILL_BELOW;
}

/** The lists after the rows of unknown sessions were read; those that ended meanwhile, or are gone, stay out. */
export function addRows(
  lists: SessionLists,
  asked: readonly string[],
  rows: readonly SessionRowFragment[],
): SessionLists {
  const added = rows.filter((row) => !isFinished(row.status) && lists.unknown.includes(row.id));
  const others = [...lists.active, ...lists.queued].filter((row) => !added.some(({ id }) => id === row.id));
  return arrange(
    [...others, ...added],
    lists.unknown.filter((id) => !asked.includes(id)),
    lists.more,
  );
}

/** Whether something that was listed is no more: it has ended, and nobody was told. */
export function hasLost(before: SessionLists | null, after: SessionLists): boolean {
  const there = new Set([...after.active, ...after.queued].map(({ id }) => id));
  return before !== null && [...before.active, ...before.queued].some(({ id }) => !there.has(id));
}

/** Sorted as the API sorts; places in the queue follow from the order, nobody needs to ask for them again. */
function arrange(
  rows: readonly SessionRowFragment[],
  unknown: readonly string[],
  more: boolean,
): SessionLists {
  const oldestFirst = rows.toSorted((a, b) => compare(a.createdAt, b.createdAt) || compare(a.id, b.id));
  return {
    active: oldestFirst.filter((row) => row.status !== 'PENDING').toReversed(),
    queued: oldestFirst
      .filter((row) => row.status === 'PENDING')
      .map((row, index) => {
        const queuePosition = index < QUEUE_LIMIT ? index + 1 : null;
        return row.queuePosition === queuePosition ? row : { ...row, queuePosition };
      }),
    unknown,
    more,
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
