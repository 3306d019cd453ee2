import { setTimeout as delay } from 'node:timers/promises';
import { jittered } from '../../../common/jitter.ts';
import type { TimeLimit } from '../../../common/time-limit.ts';
import { formatDuration } from '../../../config/durations.ts';
import { statusOfFailure } from '../../common/interruptions.ts';
import { CIRCUIT_OPEN, fallbackCause } from '../../model/availability/fallback.ts';
import { classifyModelError, describeError, LlmError, ModelCallError } from '../../model/errors.ts';
import type { AgentContext } from '../../run-context/types.ts';
import type { OpenTimelineEvent } from '../../store/journal.ts';
import { beginRunWait, endRunWait } from '../../store/waits.ts';
import { attemptCall, type ModelAnswer, type ModelCall } from './attempt.ts';
import { fallBack, nextModel } from './provider-fallback.ts';

/** Maximum pause (ms) before a failed call is repeated. Jittered, so that agents do not repeat calls together. */
const SILENT_RETRY_MS = 2_000;

/**
 * Calls an agent's model:
 * 1. Falls back if the provider's circuit is open and another provider can take over.
 * 2. Makes and records the call (`attemptCall`), with a shorter conversation if the provider finds it too long.
 * 3. Repeats the call once if the provider was silent or its answer malformed, as long as a fallback is left.
 * 4. Falls back to the next provider of the agent's list, with the whole conversation. The agent keeps that provider.
 * 5. In an outage, waits and starts again at step 1. Providers that the agent left may then take over again. The
 *    timeline shows the wait; the call's time limit is paused.
 * The partial text of a failed attempt stays in the timeline, marked as interrupted.
 * @param options.waitsForProvider false: an outage fails the call at once
 * @throws ModelCallError (cause `llm_outage` if the wait would exceed `llmOutageMs`), LeaseLostError, the abort reason
 */
export async function callModel(
  context: AgentContext,
  call: ModelCall,
  { waitsForProvider = true } = {},
): Promise<ModelAnswer> {
  const wait = createOutageWait(context, call);
  try {
    const answer = await callAvailableModel(context, call, waitsForProvider ? wait : null);
    await wait.end('COMPLETED', BACK);
    return answer;
  } catch (error) {
    const { signal } = call.limit;
    if (signal.aborted) await wait.end(statusOfFailure(signal.reason), 'The wait was interrupted.');
    // A call that failed for another reason reached the provider, so the outage is over. After a
    // RunInterruptedError the wait stays open, because the provider's state is unknown.
    else if (error instanceof ModelCallError) await wait.end('COMPLETED', REFUSED);
    throw error;
  }
}

const BACK = 'The model is available again.';
const REFUSED = 'The wait is over, because the call failed for another reason.';

async function callAvailableModel(
  context: AgentContext,
  call: ModelCall,
  wait: OutageWait | null,
): Promise<ModelAnswer> {
  const { availability } = context;
  const { limit } = call;
  for (let retries = 0; ; ) {
    const { providerName } = context.resolved;
    if (!availability.admits(providerName) && (await fallBack(context, call, CIRCUIT_OPEN))) continue;
    try {
      const answer = await attemptCall(context, sharingTime(context, call));
      availability.answered(providerName);
      return answer;
    } catch (error) {
      if (!(error instanceof ModelCallError) || limit.signal.aborted) throw error;
      const { fallbackReason, ...remedy } = classifyModelError(error.cause);
      if (fallbackReason !== null) availability.failed(providerName, fallbackReason);
      // After an attempt that delivered tool calls, the agent's loop starts a new iteration: no retry, no fallback.
      if (fallbackReason !== null && !error.hadToolCalls) {
        if (retries < remedy.retries && nextModel(context, call, fallbackReason).next !== null) {
          retries += 1;
          await delay(jittered(SILENT_RETRY_MS), undefined, { signal: limit.signal }).catch(() => {});
          continue;
        }
        if (await fallBack(context, call, fallbackCause(fallbackReason, error.cause))) {
          retries = 0;
          limit.restart();
          continue;
        }
      }
      if (!remedy.isOutage || wait === null || limit.signal.aborted) throw error;
      await wait.untilRetry(providerName, error.cause as LlmError);
      context.abandonedProviders.clear();
      retries = 0;
    }
  }
}

/** Limits an attempt to half of the time left, if the call must end by a moment and another provider could take over. */
function sharingTime(context: AgentContext, call: ModelCall): ModelCall {
  const { endsAt, limit } = call;
  if (endsAt === undefined || nextModel(context, call, 'SILENT').next === null) return call;
  const shareMs = Math.max(0, endsAt - performance.now()) / 2;
  const spent = new AbortController();
  const text = `The call took longer than its share of the time left, ${formatDuration(Math.round(shareMs))}`;
  setTimeout(() => spent.abort(new LlmError('llm_call_timeout', text, true)), shareMs).unref();
  return { ...call, limit: { ...limit, signal: AbortSignal.any([limit.signal, spent.signal]) } };
}

type OutageWait = ReturnType<typeof createOutageWait>;

/** Creates the outage wait of one call. The first wait opens a timeline item, which `end` closes. */
function createOutageWait(
  { db, fence, transcript, availability, resolved }: AgentContext,
  { iteration, limit }: ModelCall,
) {
  const maxMs = resolved.timeouts.llmOutageMs;
  let waiting: { item: OpenTimelineEvent; since: number; text: string; cause: string } | null = null;

  async function begin(provider: string, reason: string) {
    const text = `The model is unavailable: ${reason.replace(/\.$/, '')}. Retrying for up to ${formatDuration(maxMs)}.`;
    const item = await transcript.openTimelineEvent('ERROR', { outage: true, iteration });
    await item.append(text);
    const cause = `model/${provider}`;
    const until = new Date(Date.now() + maxMs).toISOString();
    await beginRunWait(db, fence, { reason: 'MODEL_UNAVAILABLE', cause, message: text, until });
    return { item, since: performance.now(), text, cause };
  }

  async function end(status: 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'TIMED_OUT', how: string): Promise<void> {
    if (waiting === null) return;
    const { item, since, text, cause } = waiting;
    waiting = null;
    await endRunWait(db, fence, cause);
    const metadata = { waited_ms: Math.round(performance.now() - since) };
    await item.close({ status, content: `${text} ${how}`, metadata });
  }

  async function giveUp(how: string, reason: string, cause: LlmError): Promise<never> {
    await end('FAILED', how);
    const text = `${reason}: ${describeError(cause)}`;
    throw new ModelCallError(new LlmError('llm_outage', text, false, { cause }), '');
  }

  return {
    end,
    /**
     * Waits until the provider may be called again. @throws ModelCallError if the wait would exceed `llmOutageMs`, or
     * with the limit's abort reason as its cause
     */
    async untilRetry(provider: string, error: LlmError): Promise<void> {
      const leftMs = maxMs - (waiting ? performance.now() - waiting.since : 0);
      const { retryAfterMs } = error;
      if (retryAfterMs > Math.max(leftMs, 0)) {
        const asked = formatDuration(Math.round(retryAfterMs));
        const reason = `The model asks to wait for ${asked}, longer than the limit`;
        await giveUp('The provider asks for a longer wait.', reason, error);
      }
      const waitMs = availability.backOff(provider, retryAfterMs);
      if (waiting && leftMs <= 0) {
        const limitText = formatDuration(maxMs);
        const reason = `The model was unavailable for ${limitText}. Last`;
        await giveUp(`TARSy gave up after ${limitText}.`, reason, error);
      }
      waiting ??= await begin(provider, describeError(error));
      await waitPaused(limit, waitMs, availability.untilAnswered(provider));
      if (limit.signal.aborted) throw new ModelCallError(limit.signal.reason, '');
    },
  };
}

/**
 * Waits `waitMs` while the time limit is paused, then restarts the limit in full. Returns early if the
 * limit's signal or `ended` aborts.
 * @param ended aborts when the reason for the wait is gone
 */
export async function waitPaused(limit: TimeLimit, waitMs: number, ended: AbortSignal): Promise<void> {
  limit.pause();
  await delay(waitMs, undefined, { signal: AbortSignal.any([limit.signal, ended]) }).catch(() => {});
  limit.restart();
}
