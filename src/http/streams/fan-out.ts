import type { ExecutionResult } from 'graphql';
import type { SharedStream } from '../../engine/engine.ts';
import { createMessage, type SharedMessage } from './message.ts';

/** Executes the operation for one item. Never rejects. */
export type ExecuteItem = (item: unknown) => ExecutionResult | Promise<ExecutionResult>;

export type Receive = (message: SharedMessage) => void;

/** All subscribers whose live results are the same. */
export interface Group {
  /** Hands every live message to `receive`, from now on. Returns the way to leave. */
  join(receive: Receive): () => void;
}

/** Counts since the start, for tests and metrics. */
export interface FanOutCounts {
  /** Groups now. */
  groups: number;
  /** Subscribers now. */
  subscribers: number;
  /** Live results executed and serialized. */
  executed: number;
  /** Live results handed to subscribers. */
  delivered: number;
  /** Subscribers cut off because they read too slowly. */
  cutOff: number;
}

/**
 * Executes each live item of a stream once, in order, and hands the message to everybody in the group. The group
 * listens while it has members.
 */
function createGroup(deps: {
  stream: SharedStream<unknown>;
  execute: ExecuteItem;
  counts: FanOutCounts;
  onEmpty: () => void;
}): Group {
  const { stream, execute, counts } = deps;
  const members = new Set<Receive>();
  /** The last of the items under way; null when none is, so that most items are handed on without a turn of the loop. */
  let work: Promise<void> | null = null;
  let unlisten: (() => void) | null = null;

  function deliver(result: ExecutionResult, place: number): void {
    const message = createMessage(result, place);
    counts.executed += 1;
    counts.delivered += members.size;
    for (const receive of members) receive(message);
  }

  function take(item: unknown, place: number): void {
    const result = work === null ? execute(item) : work.then(() => execute(item));
    if (!(result instanceof Promise)) {
      deliver(result, place);
      return;
    }
    const step = result.then((settled) => {
      deliver(settled, place);
      if (work === step) work = null;
    });
    work = step;
  }

  return {
    join(receive) {
      members.add(receive);
      counts.subscribers += 1;
      unlisten ??= stream.listen(take);
      return () => {
        if (!members.delete(receive)) return;
        counts.subscribers -= 1;
        if (members.size > 0) return;
        unlisten?.();
        unlisten = null;
        deps.onEmpty();
      };
    },
  };
}

export interface Groups {
  /** The group with this key; the first to ask says how it executes. */
  of(key: string, stream: SharedStream<unknown>, execute: ExecuteItem): Group;
  readonly counts: Readonly<FanOutCounts>;
  /** A subscriber was cut off. */
  noteCutOff(): void;
}

export function createGroups(): Groups {
  const groups = new Map<string, Group>();
  const counts: FanOutCounts = { groups: 0, subscribers: 0, executed: 0, delivered: 0, cutOff: 0 };
  return {
    of(key, stream, execute) {
      const known = groups.get(key);
      if (known !== undefined) return known;
      const onEmpty = () => {
        groups.delete(key);
        counts.groups = groups.size;
      };
      const group = createGroup({ stream, execute, counts, onEmpty });
      groups.set(key, group);
      counts.groups = groups.size;
      return group;
    },
    counts,
    noteCutOff() {
      counts.cutOff += 1;
    },
  };
}
