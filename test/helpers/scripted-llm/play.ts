import { setTimeout as delay } from 'node:timers/promises';
import type { ServerWritableStream } from '@grpc/grpc-js';
import type { GenerateRequest, GenerateResponse } from '../../../src/engine/model/gen/llm_service.ts';
import { aborted, type Gates } from './gates.ts';
import { type ScriptedCall, type Step, stepMessages, usage } from './steps.ts';

type Stream = ServerWritableStream<GenerateRequest, GenerateResponse>;
type Outcome = 'completed' | 'cancelled' | 'failed';

/** The server functions that playing uses. */
export interface PlayContext {
  gates: Gates;
  newCallId(): string;
  cutConnection(stream: Stream): void;
}

/** Plays the steps on the wire. */
export async function play(
  steps: readonly Step[],
  stream: Stream,
  call: ScriptedCall,
  context: PlayContext,
): Promise<Outcome> {
  const { signal } = call;
  for (const step of steps) {
    if ('gate' in step) await waitAt(step, stream, call, context);
    else if ('waitMs' in step) await delay(step.waitMs, undefined, { signal }).catch(() => {});
    else if ('hang' in step) await aborted(signal);
    if (signal.aborted) return 'cancelled';

    if ('status' in step) {
      stream.emit('error', { code: step.status, details: step.details ?? 'scripted status' });
      return 'failed';
    }
    if ('breakOff' in step) {
      if (step.breakOff === 'stream') stream.end();
      else context.cutConnection(stream);
      return 'failed';
    }
    for (const message of stepMessages(step, context.newCallId) ?? []) {
      if (!(await send(stream, message, call))) return 'cancelled';
    }
    if ('error' in step) {
      stream.end();
      return 'failed';
    }
  }
  return finish(steps, stream, call);
}

async function waitAt(
  { gate, mutterMs }: Extract<Step, { gate: string }>,
  stream: Stream,
  { signal }: ScriptedCall,
  { gates }: PlayContext,
): Promise<void> {
  let words = 0;
  const mutter = () => stream.write({ thinking: { content: ` ${++words}` }, isFinal: false });
  const timer = mutterMs === undefined ? undefined : setInterval(mutter, mutterMs);
  await gates.pass(gate, signal);
  clearInterval(timer);
}

async function finish(steps: readonly Step[], stream: Stream, call: ScriptedCall): Promise<Outcome> {
  const isFinal = steps.some((step) => 'message' in step && step.message.isFinal);
  if (!isFinal) {
    const hasUsage = steps.some((step) => 'usage' in step);
    if (!hasUsage) await send(stream, { usage: usage({ input: 10, output: 5 }), isFinal: false }, call);
    await send(stream, { isFinal: true }, call);
  }
  if (call.signal.aborted) return 'cancelled';
  stream.end();
  return 'completed';
}

/** Sends a message and waits while the caller is behind. Returns `false` if the call is gone. */
async function send(stream: Stream, message: GenerateResponse, call: ScriptedCall): Promise<boolean> {
  if (call.signal.aborted) return false;
  if (!stream.write(message)) {
    const { promise, resolve } = Promise.withResolvers<void>();
    stream.once('drain', resolve);
    await Promise.race([promise, aborted(call.signal)]);
    stream.off('drain', resolve);
  }
  if (call.signal.aborted) return false;
  call.sent += 1;
  return true;
}
