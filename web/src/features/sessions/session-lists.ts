import { SEVERITIES } from '../../components/severity.tsx';
import type { SessionChangeFragment, SessionRowFragment } from '../../graphql/gen/documents.ts';
import { isFinished } from '../../lib/status.ts';

/** Running sessions, the most severe and then the newest first, and queued sessions, in the order in which they will run. */
export interface SessionLists {
  readonly active: readonly SessionRowFragment[];
  readonly queued: readonly SessionRowFragment[];
  /** Ids of changed sessions that are in neither list, because their rows have not been read yet. */
  readonly unknown: readonly string[];
  /** True if the queue is longer than the list. */
  readonly more: boolean;
}

// Number of listed queued sessions below which the queue is read again: before the list runs empty, but not
// after each start.
const REFILL_BELOW = 400;

/** Maximum number of queued sessions that the API lists and numbers. */
const QUEUE_LIMIT = 500;

export function createLists(active: readonly SessionRowFragment[], queued: readonly SessionRowFragment[]) {
  return sortIntoLists([...active, ...queued], [], queued.length >= QUEUE_LIMIT);
}

/** True if so many listed sessions have started that the rest of the queue has to be read. */
export function needsRefill({ queued, more }: SessionLists): boolean {
  return more && queued.length < REFILL_BELOW;
}

/** Applies a session's change: updates its row, removes it after the end, or adds an unlisted session to `unknown`. */
export function applyChange(lists: SessionLists, change: SessionChangeFragment): SessionLists {
  const rows = [...lists.active, ...lists.queued];
  const known = rows.find((row) => row.id === change.id);
  if (isFinished(change.status)) {
    return sortIntoLists(
      rows.filter((row) => row.id !== change.id),
      lists.unknown.filter((id) => id !== change.id),
      lists.more,
    );
  }
  if (known === undefined) {
    if (isBeyondList(lists, change)) return lists.more ? lists : { ...lists, more: true };
    return lists.unknown.includes(change.id) ? lists : { ...lists, unknown: [...lists.unknown, change.id] };
  }
  return sortIntoLists(
    rows.map((row) => (row === known ? { ...known, ...change } : row)),
    lists.unknown,
    lists.more,
  );
}

/**
 * True if a changed session waits behind the last listed one. If the list is short, a missing position means that the
 * session has started meanwhile.
 */
function isBeyondList(
  { queued }: SessionLists,
  { status, queuePosition, waitingFor }: SessionChangeFragment,
): boolean {
  return (
    status === 'PENDING' &&
    waitsForSlot(waitingFor) &&
    queuePosition === null &&
    queued.length >= REFILL_BELOW
  );
}

/** Adds the rows that were read for unknown sessions. Sessions that have ended or were deleted meanwhile stay out. */
export function addRows(
  lists: SessionLists,
  requestedIds: readonly string[],
  rows: readonly SessionRowFragment[],
): SessionLists {
  const added = rows.filter((row) => !isFinished(row.status) && lists.unknown.includes(row.id));
  const others = [...lists.active, ...lists.queued].filter((row) => !added.some(({ id }) => id === row.id));
  return sortIntoLists(
    [...others, ...added],
    lists.unknown.filter((id) => !requestedIds.includes(id)),
    lists.more,
  );
}

/** True if a listed session is missing after a new query, because it ended and the event of its end was lost. */
export function hasMissingSessions(before: SessionLists | null, after: SessionLists): boolean {
  const afterIds = new Set([...after.active, ...after.queued].map(({ id }) => id));
  return before !== null && [...before.active, ...before.queued].some(({ id }) => !afterIds.has(id));
}

/**
 * Sorts the rows into both lists: sessions that wait for a slot by position, then the others by severity. Computes the positions from the order, without a query.
 */
function sortIntoLists(
  rows: readonly SessionRowFragment[],
  unknown: readonly string[],
  more: boolean,
): SessionLists {
  const oldestFirst = rows.toSorted((a, b) => compare(a.createdAt, b.createdAt) || compare(a.id, b.id));
  return {
    active: oldestFirst
      .filter((row) => row.status !== 'PENDING')
      .toReversed()
      .toSorted(bySeverity),
    queued: oldestFirst
      .filter((row) => row.status === 'PENDING')
      .toSorted(byQueueOrder)
      .map((row, index) => {
        const queuePosition = waitsForSlot(row.waitingFor) && index < QUEUE_LIMIT ? index + 1 : null;
        return row.queuePosition === queuePosition ? row : { ...row, queuePosition };
      }),
    unknown,
    more,
  };
}

/**
 * Two rows may have the same position. The session created later comes first, because its position is newer.
 */
function byQueueOrder(a: SessionRowFragment, b: SessionRowFragment): number {
  const slots = Number(!waitsForSlot(a.waitingFor)) - Number(!waitsForSlot(b.waitingFor));
  if (slots !== 0) return slots;
  if (a.queuePosition !== null && a.queuePosition === b.queuePosition)
    return compare(b.createdAt, a.createdAt);
  const positions = (a.queuePosition ?? QUEUE_LIMIT) - (b.queuePosition ?? QUEUE_LIMIT);
  return positions !== 0 || waitsForSlot(a.waitingFor) ? positions : bySeverity(a, b);
}

const bySeverity = (a: SessionRowFragment, b: SessionRowFragment): number =>
  SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity);

const waitsForSlot = (waiting: SessionChangeFragment['waitingFor']): boolean =>
  waiting === null || waiting.reason === 'SLOT';

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
