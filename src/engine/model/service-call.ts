import type { ClientReadableStream } from '@grpc/grpc-js';
import { chunkFromWire, type LlmChunk } from './chunks.ts';
import { errorFromStatus, isServiceError, LlmError } from './errors.ts';
import type { GenerateResponse } from './gen/llm_service.ts';

/** How long an open call may be silent, in milliseconds. Only time spent waiting for the service counts. */
export interface CallLimits {
  connectTimeoutMs: number;
  firstTokenTimeoutMs: number;
  stallTimeoutMs: number;
}

/** A call and the one way to break it off. */
export interface CallControl {
  call: ClientReadableStream<GenerateResponse>;
  /** Cancels the RPC at once; the reader throws `reason`. The first reason wins. */
  stop(reason: unknown): void;
  stopped(): { reason: unknown } | null;
}

/** Takes control of a call that was just made. */
export function controlCall(call: ClientReadableStream<GenerateResponse>): CallControl {
  let stopped: { reason: unknown } | null = null;
  // A status that arrives after the reader has left would otherwise be an unhandled 'error' event.
  call.on('error', () => {});
  return {
    call,
    stop(reason) {
      if (stopped !== null) return;
      stopped = { reason };
      call.cancel();
    },
    stopped: () => stopped,
  };
}

/** A server that has sent its final message closes the stream by itself; this long we let it, then cancel. */
const SETTLE_MS = 1_000;

/**
 * Yields the chunks of a call, reading no faster than they are taken. Leaving early cancels the RPC.
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
  const { call } = control;
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
    /** The next message; null when the stream ended. */
    async next(): Promise<GenerateResponse | null> {
      const timer = setTimeout(onSilence, started ? limits.stallTimeoutMs : limits.firstTokenTimeoutMs);
      try {
        const result = await messages.next();
        ended = result.done === true;
        throwIfStopped(control);
        clearTimeout(connectTimer);
        // What the service itself says is no answer, however long the model then thinks; that it waits is a sign of life.
        const message = result.done === true ? null : result.value;
        started ||= !(message?.toolsLeftOut || message?.waiting);
        return message;
      } catch (error) {
        ended = true;
        throwIfStopped(control);
        throw isServiceError(error) ? errorFromStatus(error, started) : error;
      } finally {
        clearTimeout(timer);
      }
    },
    /** Lets a stream that has said all it had to say end by itself. */
    async settle(): Promise<void> {
      const timer = setTimeout(() => call.cancel(), SETTLE_MS);
      try {
        while ((await messages.next()).done !== true);
      } catch {
        // The response is complete: how the call ends changes nothing.
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

function throwIfStopped(control: CallControl): void {
  const stopped = control.stopped();
  if (stopped !== null) throw stopped.reason;
}

function unavailable(): LlmError {
  return new LlmError(
    'llm_service_unavailable',
    'The LLM service cannot be reached: not connected in time',
    true,
  );
}

function silent(code: string, limitMs: number): LlmError {
  return new LlmError(code, `The LLM sent nothing for ${limitMs} ms`, true);
}
