import type { ResolvedAgent } from '../../../config/resolve.ts';
import { createPromptWindow, type PromptWindow } from '../../model/context-window/window.ts';
import { agentSettings } from '../../model/settings.ts';
import type { AgentContext, SessionRun } from '../../run-context/types.ts';
import { summaryPlans } from '../tool-result-summary.merge1.ts';

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
