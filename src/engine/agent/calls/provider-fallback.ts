import { setTimeout as delay } from 'node:timers/promises';
import { type ResolvedAgent, withProvider } from '../../../config/resolve.ts';
import type { FallbackReason } from '../../../db/enums.ts';
import {
  becauseOf,
  fallbackEvent,
  type LeftBecause,
  OTHERS_COULD_NOT,
} from '../../model/availability/fallback.ts';
import { triggerOf } from '../../model/availability/provider-availability.ts';
import type { LlmSettings } from '../../model/client.ts';
import { fitMessages } from '../../model/context-window/fit.ts';
import { weightOfTools } from '../../model/context-window/token-estimate.ts';
import { createPromptWindow, type PromptWindow, promptUnits } from '../../model/context-window/window.ts';
import { ModelCallError } from '../../model/errors.ts';
import { agentSettings } from '../../model/settings.ts';
import type { AgentContext, SessionRun } from '../../run-context/types.ts';
import { nativeToolsGonePrompt } from '../iteration.ts';
import { summaryPlans } from '../tool-result-summary.ts';
import { callOnce, type ModelAnswer, type ModelCall } from './model-call.ts';

/** Milliseconds until a provider that said nothing is asked once more, at most: not all agents at the same moment. */
export const SILENT_RETRY_MS = 2_000;

/** Why a provider of the list was passed over. */
interface Skipped {
  provider: string;
  reason: 'WINDOW' | 'CIRCUIT_OPEN';
}

/**
 * Calls the model, and where its provider cannot be had, the next one of the agent's list: with the conversation as it was,
 * from its beginning. The agent stays with the one that answers. What of an answer was there stays in the timeline, as broken off.
 * @throws what `callOnce` throws, when no other is left or none would help
 */
export async function callAnyProvider(context: AgentContext, call: ModelCall): Promise<ModelAnswer> {
  const { circuits } = context;
  for (let retries = 0; ; ) {
    const { providerName } = context.resolved;
    const isKnown = !circuits.admits(providerName) && (await fallBack(context, call, OTHERS_COULD_NOT));
    if (isKnown) continue;
    try {
      const answer = await callOnce(context, call);
      circuits.answered(providerName);
      return answer;
    } catch (error) {
      if (!(error instanceof ModelCallError) || call.limit.signal.aborted) throw error;
      const trigger = triggerOf(error.cause);
      if (trigger === null) throw error;
      circuits.failed(providerName, trigger.reason);
      // What it asked for is known by half: its turn begins anew, and nobody else takes it over.
      if (error.toldCalls) throw error;
      const isTriedAgain =
        retries < trigger.retries && nextModel(context, call, trigger.reason).next !== null;
      if (isTriedAgain) {
        retries += 1;
        await pause(call);
        continue;
      }
      if (!(await fallBack(context, call, becauseOf(trigger, error.cause)))) throw error;
      retries = 0;
      call.limit.restart();
    }
  }
}

/** The agent goes on with another provider; what is done stands in the timeline and the records. @returns whether there is one */
async function fallBack(context: AgentContext, call: ModelCall, cause: LeftBecause): Promise<boolean> {
  const { resolved: left, llm, transcript, abandonedProviders, observer } = context;
  const { next, skipped } = nextModel(context, call, cause.reason);
  if (next === null) return false;
  switchModel(context, next);
  abandonedProviders.add(left.providerName);
  const gone = nativeTools(llm).filter((tool) => !nativeTools(context.llm).includes(tool));
  if (gone.length > 0 && transcript.messages.some(({ role }) => role === 'ASSISTANT'))
    await transcript.addMessage({ role: 'USER', content: nativeToolsGonePrompt(gone) });
  observer.metrics.fellBack(left.providerName, next.providerName, cause.reason);
  const { content, metadata } = fallbackEvent(cause, { from: left, to: next }, gone);
  await transcript.addFallback(
    { llmProvider: next.providerName, llmBackend: next.backend, modelName: next.provider.model },
    { content, metadata: { iteration: call.iteration, ...metadata, skipped } },
  );
  return true;
}

/** The first of the agent's list that it has not left and that can take its place, and why others before it cannot. */
function nextModel(
  context: AgentContext,
  { offered }: ModelCall,
  reason: FallbackReason,
): { next: ResolvedAgent | null; skipped: Skipped[] } {
  const { config, resolved, abandonedProviders, transcript } = context;
  const present = promptUnits(context.llm);
  const fixed = weightOfTools(offered.tools);
  const skipped: Skipped[] = [];
  for (const provider of resolved.fallbacks) {
    if (provider === resolved.providerName || abandonedProviders.has(provider)) continue;
    const next = withProvider(config, resolved, provider);
    const units = promptUnits(agentSettings(context, next));
    const fits = fitMessages(transcript.messages, fixed, units).weight <= units;
    if (!fits || (reason === 'TOO_LONG' && units <= present)) skipped.push({ provider, reason: 'WINDOW' });
    else if (context.circuits.isOpen(provider)) skipped.push({ provider, reason: 'CIRCUIT_OPEN' });
    else return { next, skipped };
  }
  return { next: null, skipped };
}

async function pause({ limit }: ModelCall): Promise<void> {
  const waitMs = SILENT_RETRY_MS * (0.5 + Math.random() / 2); // not all at the same moment
  await delay(waitMs, undefined, { signal: limit.signal }).catch(() => {});
}

function nativeTools({ nativeTools: tools }: LlmSettings): string[] {
  return Object.entries(tools ?? {}).flatMap(([name, on]) => (on ? [name] : []));
}

/** All that an agent has by the model that it works with. */
export type WithModel = Pick<AgentContext, 'resolved' | 'llm' | 'window' | 'summaryPlan'>;

/** @param windowOf how much of the conversation the model is sent; default: nothing was left out before */
export function withModel(
  run: SessionRun,
  resolved: ResolvedAgent,
  windowOf: PromptWindow['of'] = createPromptWindow,
): WithModel {
  const llm = agentSettings(run, resolved);
  return { resolved, llm, window: windowOf(llm), summaryPlan: summaryPlans(run.config, resolved) };
}

/** The agent goes on with another model, from its next call on. */
export function switchModel(context: AgentContext, resolved: ResolvedAgent): void {
  Object.assign(context, withModel(context, resolved, context.window.of));
}
