import type { ExecutionResult } from 'graphql';
import type { SharedStream } from '../../engine/engine.ts';
import type { ExecuteItem, Group } from './fan-out.ts';
import type { SharedMessage } from './message.ts';

/** Where one subscriber's live messages go: straight to its connection. */
export interface Sink {
  /** Writes the message, or cuts the subscriber off when too much waits already. Never waits. */
  send(message: SharedMessage): void;
  /** The subscriber reads too slowly; it comes back with its cursor. */
  cutOff(): void;
}

/**
 * The results of one subscription: its replay through `next()`, executed for it alone, and from the `next()` after
 * the replay's last result on (the transport has then sent everything before) live messages through the sink, until
 * the transport calls `return()`.
 */
export function createSubscriber(deps: {
  stream: SharedStream<unknown>;
  /** Of the group whose results are this subscriber's. */
  join: Group['join'];
  execute: ExecuteItem;
  sink: Sink;
  /** What may wait for the end of the replay, as the sum of the messages' sizes. */
  maxHeld: number;
}): AsyncIterableIterator<ExecutionResult> {
  const { stream, join, execute, sink, maxHeld } = deps;
  const stopped = new AbortController();
  const done: IteratorReturnResult<undefined> = { done: true, value: undefined };
  /** Answers the `next()` that waits; for a quiet session it waits for ever. */
  let settlePending: ((result: IteratorResult<ExecutionResult>) => void) | null = null;
  let held: SharedMessage[] | null = []; // null = live
  let heldSize = 0;
  let begun = false;
  let reached = 0;

  let leave = () => {};
  const replay = stream.replay(stopped.signal); // reads nothing before it is asked

  /** Listens before the replay reads where the live part stands: nothing falls between the two. */
  function begin(): void {
    begun = true;
    leave = join((message) => {
      if (held !== null) hold(message);
      else if (message.place > reached) sink.send(message);
    });
  }

  function hold(message: SharedMessage): void {
    held?.push(message);
    heldSize += message.size;
    if (heldSize > maxHeld && !stopped.signal.aborted) {
      sink.cutOff(); // before the end, after which a transport would say that all is complete
      end();
    }
  }

  function goLive(place: number): void {
    const waiting = held ?? [];
    held = null;
    reached = place;
    for (const message of waiting) if (message.place > reached) sink.send(message);
  }

  function release(): void {
    stopped.abort();
    leave();
    held = null;
    replay.return(0).catch(() => {}); // it waits for the read under way, whose failure no longer matters
  }

  function end(): void {
    release();
    settlePending?.(done);
  }

  /** The replay's next result; null when the replay is over. */
  async function nextOfReplay(): Promise<IteratorResult<ExecutionResult> | null> {
    try {
      const step = await replay.next();
      if (stopped.signal.aborted) return done;
      if (!step.done) return { done: false, value: await execute(step.value) };
      goLive(step.value);
      return null;
    } catch (error) {
      release();
      throw error;
    }
  }

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      if (stopped.signal.aborted) return Promise.resolve(done);
      return new Promise((resolve, reject) => {
        settlePending = resolve;
        if (!begun) begin(); // not before: a transport that is gone already never asks, and never ends
        if (held === null) return; // live: only the end answers
        nextOfReplay().then((result) => result && resolve(result), reject);
      });
    },
    async return() {
      end();
      return done;
    },
    async throw(error: unknown) {
      end();
      throw error;
    },
  };
}
