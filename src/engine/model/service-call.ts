import type { ClientReadableStream } from '@grpc/grpc-js';
import { chunkFromWire, type LlmChunk } from './chunks.ts';
import { errorFromStatus, isServiceError, LlmError } from './errors.ts';
import type { GenerateResponse } from './gen/llm_service.ts';

/** Limits on the silence of an open call. Only time spent waiting for the service counts. */
export interface CallLimits {
  connectTimeoutMs: number;
  firstTokenTimeoutMs: number;
  stallTimeoutMs: number;
}

/** A running call that can be cancelled with a reason. */
export interface CallControl {
  call: ClientReadableStream<GenerateResponse>;
  /** Cancels the RPC at once; the reader throws `reason`. The first reason wins. */
  stop(reason: unknown): void;
  stopped: AbortSignal;
}

export function controlCall(call: ClientReadableStream<GenerateResponse>): CallControl {
  const stopping = new AbortController();
  // A status that arrives after the reader has left would otherwise be an unhandled 'error' event.
  call.on('error', () => {});
  return {
    call,
    stop(reason) {
      if (stopping.signal.aborted) return;
      stopping.abort(reason);
      call.cancel();
    },
    stopped: stopping.signal,
  };
}

/** How long the service may take to close a stream after its final message (ms). Then the call is cancelled. */
const SETTLE_MS = 1_000;

/**
 * Yields the chunks of a call, reading no faster than the caller consumes them. Leaving the loop early
 * cancels the RPC.
 * @throws LlmError, or the reason given to `control.stop`
 */
export async function* readCall(
  control: CallControl,
  limits: CallLimits,
  isConnected: () => boolean,
): AsyncGenerator<LlmChunk, void, undefined> {
  const reader = createReader(control, limits, isConnected);
  try {
    for (;;) {
      const message = await reader.next();
      if (message === null) throw new LlmError('stream_broken', 'The LLM stream ended too early', true);
      let chunk: LlmChunk | null;
      try {
        chunk = chunkFromWire(message);
      } catch (error) {
        await reader.settle();
        throw error;
      }
      if (chunk !== null) yield chunk;
      if (message.isFinal) return await reader.settle();
    }
  } finally {
    reader.release();
  }
}

function createReader(control: CallControl, limits: CallLimits, isConnected: () => boolean) {
  const { call, stopped } = control;
  const messages = call.iterator({ destroyOnReturn: false });
  let started = false;
  let ended = false;
  const onConnectLimit = () => isConnected() || control.stop(unavailable());
  const connectTimer = setTimeout(onConnectLimit, limits.connectTimeoutMs);
  const onSilence = () => {
    if (started) control.stop(silent('stall_timeout', limits.stallTimeoutMs));
    else if (!isConnected()) control.stop(unavailable());
    else control.stop(silent('first_token_timeout', limits.firstTokenTimeoutMs));
  };
  return {
    /** Returns the next message; `null` if the stream has ended. */
    async next(): Promise<GenerateResponse | null> {
      const timer = setTimeout(onSilence, started ? limits.stallTimeoutMs : limits.firstTokenTimeoutMs);
      try {
        const result = await messages.next();
        ended = result.done === true;
        stopped.throwIfAborted();
        clearTimeout(connectTimer);
        // Messages of the LLM service itself do not count as the first token, but each restarts the timer.
        const message = result.done === true ? null : result.value;
        started ||= !(message?.toolsLeftOut || message?.waiting);
        return message;
      } catch (error) {
        ended = true;
        stopped.throwIfAborted();
        throw isServiceError(error) ? errorFromStatus(error, started) : error;
      } finally {
        clearTimeout(timer);
      }
    },
    async settle(): Promise<void> {
      const timer = setTimeout(() => call.cancel(), SETTLE_MS);
      try {
        while ((await messages.next()).done !== true);
      } catch {
        // Ignores errors, because the response is already complete.
      } finally {
        clearTimeout(timer);
        ended = true;
      }
    },
    release(): void {
      clearTimeout(connectTimer);
      if (!ended) call.cancel();
    },
  };
}

function unavailable(): LlmError {
  const message = 'The LLM service cannot be reached: not connected in time';
  return new LlmError('llm_service_unavailable', message, true);
}

function silent(code: string, limitMs: number): LlmError {
  return new LlmError(code, `The LLM sent nothing for ${limitMs} ms`, true);
}
