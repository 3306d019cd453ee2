import { type ResolvedAgent, switchedTo } from '../../../config/resolve.ts';
import type { FallbackReason } from '../../api/observer.ts';
import { type FallbackCause, fallbackEvent } from '../../model/availability/fallback.ts';
import type { LlmSettings } from '../../model/client.ts';
import { fitMessages } from '../../model/context-window/fit.ts';
import { weightOfTools } from '../../model/context-window/token-estimate.ts';
import { type PromptWindow, promptUnits } from '../../model/context-window/window.ts';
import { agentSettings } from '../../model/settings.ts';
import type { AgentContext, SessionRun } from '../../run-context/types.ts';
import { nativeToolsGonePrompt } from '../iteration.ts';
import { summaryPlans } from '../tool-result-summary.ts';
import type { ModelCall } from './attempt.ts';

interface Skipped {
  provider: string;
  reason: 'WINDOW' | 'CIRCUIT_OPEN';
}

/** Switches the agent to its next usable provider and stores the switch. @returns false if there is no such provider */
export async function fallBack(
  context: AgentContext,
  call: ModelCall,
  cause: FallbackCause,
): Promise<boolean> {
  const { resolved: previous, llm, transcript, abandonedProviders, observer } = context;
  const { next, skipped } = nextModel(context, call, cause.reason);
  if (next === null) return false;
  switchModel(context, next);
  abandonedProviders.add(previous.providerName);
  const dropped = nativeTools(llm).filter((tool) => !nativeTools(context.llm).includes(tool));
  if (dropped.length > 0 && transcript.messages.some(({ role }) => role === 'ASSISTANT'))
    await transcript.addMessage({ role: 'USER', content: nativeToolsGonePrompt(dropped) });
  observer.metrics.fellBack(previous.providerName, next.providerName, cause.reason);
  const { content, metadata } = fallbackEvent(cause, { from: previous, to: next }, dropped);
  await transcript.addFallback(
    { llmProvider: next.providerName, llmBackend: next.backend, modelName: next.provider.model },
    { content, metadata: { iteration: call.iteration, ...metadata, skipped } },
  );
  return true;
}

/**
 * Returns the agent's settings with the next usable provider of its list (`null` if none), and the providers
 * skipped before that one.
 */
export function nextModel(
  context: AgentContext,
  { offered }: ModelCall,
  reason: FallbackReason,
): { next: ResolvedAgent | null; skipped: Skipped[] } {
  const { config, resolved, abandonedProviders, transcript } = context;
  const currentUnits = promptUnits(context.llm);
  const fixed = weightOfTools(offered.tools);
  const skipped: Skipped[] = [];
  for (const provider of resolved.fallbacks) {
    if (provider === resolved.providerName || abandonedProviders.has(provider)) continue;
    const next = switchedTo(config, resolved, provider);
    const units = promptUnits(agentSettings(context, next));
    const fits = fitMessages(transcript.messages, fixed, units).weight <= units;
    if (!fits || (reason === 'TOO_LONG' && units <= currentUnits))
      skipped.push({ provider, reason: 'WINDOW' });
    else if (context.availability.isOpen(provider)) skipped.push({ provider, reason: 'CIRCUIT_OPEN' });
    else return { next, skipped };
  }
  return { next: null, skipped };
}

function nativeTools({ nativeTools: tools }: LlmSettings): string[] {
  return Object.entries(tools ?? {}).flatMap(([name, on]) => (on ? [name] : []));
}

/** Returns the fields of an agent's context that depend on its model. @param windowOf creates a prompt window */
export function modelContext(
  run: SessionRun,
  resolved: ResolvedAgent,
  windowOf: PromptWindow['of'],
): Pick<AgentContext, 'resolved' | 'llm' | 'window' | 'summaryPlan'> {
  const llm = agentSettings(run, resolved);
  return { resolved, llm, window: windowOf(llm), summaryPlan: summaryPlans(run.config, resolved) };
}

/** Switches the agent to another model. Calls that already run are not affected. */
export function switchModel(context: AgentContext, resolved: ResolvedAgent): void {
  Object.assign(context, modelContext(context, resolved, context.window.of));
}
