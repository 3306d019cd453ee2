import { setTimeout as delay } from 'node:timers/promises';
import { formatDuration } from '../../../config/durations.ts';
import { statusOfFailure } from '../../common/interruptions.ts';
import type { TimeLimit } from '../../common/time-limit.ts';
import { isOutage } from '../../model/availability/provider-availability.ts';
import { describeError, LlmError, ModelCallError } from '../../model/errors.ts';
import type { OpenItem, Transcript } from '../../run-context/transcript.ts';
import type { AgentContext } from '../../run-context/types.ts';
import type { ModelAnswer, ModelCall } from './model-call.ts';
import { callAnyProvider } from './provider-fallback.ts';

/**
 * Calls the model, again and again while nobody is there to take the call. Nothing of an answer had come by then, so
 * nothing is said twice. The timeline tells of the wait. The limit does not run meanwhile.
 * @throws what `callAnyProvider` throws; once the longest wait is over, or could only be too short, a ModelCallError that is final
 */
export async function callModel(context: AgentContext, modelCall: ModelCall): Promise<ModelAnswer> {
  const { transcript, outages, resolved } = context;
  const { iteration, limit } = modelCall;
  const outageMs = resolved.timeouts.llmOutageMs;
  let waiting: { item: OpenItem; since: number; text: string } | null = null;
  const over = async (status: 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'TIMED_OUT', how: string) => {
    if (!waiting) return;
    const waitedMs = Math.round(performance.now() - waiting.since);
    const content = `${waiting.text} ${how}`;
    await waiting.item.close({ status, content, metadata: { waited_ms: waitedMs } });
  };
  for (;;) {
    try {
      limit.signal.throwIfAborted();
      const answer = await callAnyProvider(context, modelCall);
      outages.ended(context.resolved.providerName);
      await over('COMPLETED', 'It is there again.');
      return answer;
    } catch (error) {
      const cause = error instanceof ModelCallError ? error.cause : error;
      if (!isOutage(cause) || limit.signal.aborted) {
        // Whatever went wrong then, somebody took the call.
        if (!limit.signal.aborted) await over('COMPLETED', 'It is there again.');
        else await over(statusOfFailure(limit.signal.reason), 'The wait was broken off.');
        throw error;
      }
      const leftMs = outageMs - (waiting ? performance.now() - waiting.since : 0);
      if (cause.retryAfterMs > Math.max(leftMs, 0)) {
        await over('FAILED', 'It asks for a longer wait than that.');
        const asked = formatDuration(Math.round(cause.retryAfterMs));
        const text = `The model asks to wait for ${asked}, longer than it is waited for: ${describeError(cause)}`;
        throw new ModelCallError(new LlmError('llm_outage', text, false, { cause }), '');
      }
      const { providerName: provider } = context.resolved;
      outages.failed(provider, cause.retryAfterMs);
      if (waiting && leftMs <= 0) {
        await over('FAILED', `It was given up after ${formatDuration(outageMs)}.`);
        const text = `The model could not be had for ${formatDuration(outageMs)}. Last: ${describeError(cause)}`;
        throw new ModelCallError(new LlmError('llm_outage', text, false, { cause }), '');
      }
      waiting ??= await beginWaiting(transcript, describeError(cause), outageMs, iteration);
      await wait(outages.waitMs(provider), limit);
    }
  }
}

async function beginWaiting(transcript: Transcript, reason: string, outageMs: number, iteration: number) {
  const text = `The model cannot be had just now: ${reason.replace(/\.$/, '')}. Waiting for it, for at most ${formatDuration(outageMs)}.`;
  const item = await transcript.openItem('ERROR', { outage: true, iteration });
  await item.append(text);
  return { item, since: performance.now(), text };
}

/** The time of the work around it does not run meanwhile; that it is told to stop ends the wait, as what follows sees. */
async function wait(waitMs: number, limit: TimeLimit): Promise<void> {
  limit.pause();
  await delay(waitMs, undefined, { signal: limit.signal }).catch(() => {});
  limit.restart();
}
