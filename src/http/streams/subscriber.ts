import type { ExecutionResult } from 'graphql';
import type { SharedStream } from '../../engine/api/engine.ts';
import type { ExecuteItem, JoinGroup } from './fan-out.ts';
import type { SharedMessage } from './message.ts';

/** Writes one subscriber's live messages directly to its connection. */
export interface Sink {
  /** Writes the message, or cuts the subscriber off if too much is buffered. Never waits. */
  send(message: SharedMessage): void;
  /** Disconnects a subscriber that reads too slowly; it reconnects with its cursor. */
  cutOff(): void;
}

/**
 * Returns the results of one subscription. `next()` first returns the replay, executed for this subscriber alone.
 * Then live messages go through the sink until the transport calls `return()`.
 */
export function createSubscriber(deps: {
  stream: SharedStream<unknown>;
  join: JoinGroup;
  execute: ExecuteItem;
  sink: Sink;
  /** Largest sum of sizes of messages buffered during the replay (UTF-16 code units). */
  maxBuffered: number;
}): AsyncIterableIterator<ExecutionResult> {
  const { stream, join, execute, sink, maxBuffered } = deps;
  const stopped = new AbortController();
  const done: IteratorReturnResult<undefined> = { done: true, value: undefined };
  /** Ends the pending `next()` at the end of the subscription. Live messages never resolve it, but go to the sink. */
  let settlePending: ((result: IteratorResult<ExecutionResult>) => void) | null = null;
  let buffered: SharedMessage[] | null = []; // `null` once live
  let bufferedSize = 0;
  let begun = false;
  let reached = 0;

  let leave = () => {};
  const replay = stream.replay(stopped.signal); // reads nothing until the first `next()`

  /** Listens to live messages before the replay reads its end position, so that none is lost in between. */
  function begin(): void {
    begun = true;
    leave = join((message) => {
      if (buffered !== null) buffer(message);
      else if (message.position > reached) sink.send(message);
    });
  }

  function buffer(message: SharedMessage): void {
    buffered?.push(message);
    bufferedSize += message.size;
    if (bufferedSize > maxBuffered && !stopped.signal.aborted) {
      sink.cutOff(); // before `end()`, or the transport would report a complete stream
      end();
    }
  }

  function goLive(position: number): void {
    const waiting = buffered ?? [];
    buffered = null;
    reached = position;
    for (const message of waiting) if (message.position > reached) sink.send(message);
  }

  function release(): void {
    stopped.abort();
    leave();
    buffered = null;
    replay.return(0).catch(() => {}); // ends after the current read; its failure no longer matters
  }

  function end(): void {
    release();
    settlePending?.(done);
  }

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
        if (!begun) begin(); // not earlier: a transport that closed before calls neither `next()` nor `return()`
        if (buffered === null) return;
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
