import { backendFor, strategyProblem } from '../../config/resolve.ts';
import { type Degradation, describeUse, inForce, WARNING_SHARE } from '../cost/budgets.ts';
import type { Standing } from '../cost/standings.ts';
import { createPromptWindow } from '../llm/window.ts';
import { OverBudgetError } from '../run/break-off.ts';
import { agentSettings } from '../run/llm-settings.ts';
import { BUDGET_WAIT_MAX_MS } from '../tunables.ts';
import type { AgentContext } from './context.ts';

/** How an agent may go on. */
export interface Within {
  /** With another model, perhaps. */
  context: AgentContext;
  maxIterations: number;
  /** It shall conclude with its next call. */
  conclude: boolean;
}

/**
 * Looks, before a call of the model, how the session's budgets stand, and does what their configuration says. What is done
 * stands in the timeline, once.
 * @throws OverBudgetError when the session shall wait
 */
export async function withinBudget(context: AgentContext): Promise<Within> {
  const within: Within = { context, maxIterations: context.resolved.maxIterations, conclude: false };
  const { budgets } = context;
  if (budgets === null) return within;
  const standings = (await budgets.read()).toSorted((a, b) => b.share - a.share);
  for (const standing of standings) {
    context.observer.metrics.budgetRead(standing.budget.name, standing.key, standing.share);
    if (standing.share >= WARNING_SHARE && standing.share < 1) await tell(context, standing, null, '');
    for (const step of inForce(standing.budget, standing.share)) await apply(within, standing, step);
  }
  return within;
}

async function apply(within: Within, standing: Standing, step: Degradation): Promise<void> {
  const { context } = within;
  if (step === 'CHEAPER_MODEL') {
    const cheaper = withCheaperModel(context, standing.budget.cheaperLlmProvider);
    if (cheaper === null) return;
    within.context = cheaper;
    await tell(context, standing, step, `From here on the model is ${cheaper.llm.model}.`);
  } else if (step === 'FEWER_ITERATIONS') {
    if (context.resolved.maxIterations === 1) return;
    within.maxIterations = Math.ceil(context.resolved.maxIterations / 2);
    await tell(context, standing, step, `At most ${within.maxIterations} iterations from here on.`);
  } else if (step === 'CONCLUDE') {
    within.conclude = true;
    await tell(context, standing, step, 'The agent concludes now, from what it has.');
  } else if (mayWait(context) && !(within.conclude && hasBegun(context))) {
    const most = new Date(Date.now() + BUDGET_WAIT_MAX_MS);
    const endsAt = standing.endsAt ?? most;
    const until = endsAt < most ? endsAt : most;
    await tell(context, standing, step, `The investigation waits until ${until.toISOString()}.`);
    throw new OverBudgetError(standing.budget.name, until);
  }
}

/** What has begun concludes, where that is wanted too; somebody waits for answers, and a synthesis is the end of a stage. */
const mayWait = ({ interactionType }: AgentContext): boolean => interactionType === 'ITERATION';
const hasBegun = ({ transcript }: AgentContext): boolean =>
  transcript.messages.some(({ role }) => role === 'ASSISTANT');

/** Null when the agent cannot work with that model, or does already. */
function withCheaperModel(context: AgentContext, name: string | null): AgentContext | null {
  const provider = name === null ? undefined : context.config.llmProviders[name];
  const { strategy } = context.resolved;
  if (!provider || strategyProblem(strategy, provider) !== null) return null;
  const resolved = {
    ...context.resolved,
    providerName: provider.name,
    provider,
    backend: backendFor(strategy, provider.type),
  };
  const llm = agentSettings(context, resolved);
  if (llm.provider === context.llm.provider && llm.model === context.llm.model) return null;
  return { ...context, resolved, llm, window: createPromptWindow(llm) };
}

async function tell(
  { budgets, transcript, executionId }: AgentContext,
  standing: Standing,
  degradation: Degradation | null,
  done: string,
): Promise<void> {
  const { budget, used, share } = standing;
  if (!budgets!.isFirst(executionId, budget.name, degradation ?? 'WARNING')) return;
  const content = `${describeUse(standing, used)}. ${done}`.trim();
  const metadata = { budget: budget.name, share, ...(degradation && { degradation }) };
  await transcript.addEvent({ type: 'BUDGET_REACHED', content, metadata });
}
