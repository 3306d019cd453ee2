import type { ExecutionResult } from 'graphql';
import type { SharedStream } from '../../engine/api/engine.ts';
import { createMessage, type SharedMessage } from './message.ts';

/** Executes the subscription's operation for one item of its stream. Never rejects. */
export type ExecuteItem = (item: unknown) => ExecutionResult | Promise<ExecutionResult>;

/** Joins a group: passes each later live message to `receive`. Returns the function that leaves the group. */
export type JoinGroup = (receive: (message: SharedMessage) => void) => () => void;

export interface FanOutCounts {
  groups: number;
  subscribers: number;
  executed: number;
  delivered: number;
  cutOff: number;
}

/** Creates a group that executes each live item once, in order, for all members. Listens only while it has members. */
function createFanOutGroup(deps: {
  stream: SharedStream<unknown>;
  execute: ExecuteItem;
  counts: FanOutCounts;
  onEmpty: () => void;
}): JoinGroup {
  const { stream, execute, counts } = deps;
  const members = new Set<(message: SharedMessage) => void>();
  /** Delivery of the last pending item. `null` if no item is pending, so that synchronous results need not wait. */
  let work: Promise<void> | null = null;
  let unlisten: (() => void) | null = null;

  function deliver(result: ExecutionResult, position: number): void {
    const message = createMessage(result, position);
    counts.executed += 1;
    counts.delivered += members.size;
    for (const receive of members) receive(message);
  }

  function take(item: unknown, position: number): void {
    const result = work === null ? execute(item) : work.then(() => execute(item));
    if (!(result instanceof Promise)) {
      deliver(result, position);
      return;
    }
    const step = result.then((settled) => {
      deliver(settled, position);
      if (work === step) work = null;
    });
    work = step;
  }

  return (receive) => {
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
  };
}

export type FanOutGroups = ReturnType<typeof createFanOutGroups>;

export function createFanOutGroups() {
  const groups = new Map<string, JoinGroup>();
  const counts: FanOutCounts = { groups: 0, subscribers: 0, executed: 0, delivered: 0, cutOff: 0 };
  return {
    /** Returns the group with this key. A missing group is created with this `execute`. */
    of(key: string, stream: SharedStream<unknown>, execute: ExecuteItem): JoinGroup {
      const known = groups.get(key);
      if (known !== undefined) return known;
      const onEmpty = () => {
        groups.delete(key);
        counts.groups = groups.size;
      };
      const group = createFanOutGroup({ stream, execute, counts, onEmpty });
      groups.set(key, group);
      counts.groups = groups.size;
      return group;
    },
    counts: counts as Readonly<FanOutCounts>,
    countCutOff() {
      counts.cutOff += 1;
    },
  };
}
