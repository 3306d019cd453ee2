import { withProvider } from '../../../config/resolve.ts';
import { strategyProblem } from '../../../config/strategies.ts';
import { OverBudgetError } from '../../common/interruptions.ts';
import {
  activeDegradations,
  type BudgetStatus,
  type Degradation,
  describeUse,
  WARNING_SHARE,
} from '../../features/budgets/budgets.ts';
import type { AgentContext } from '../../run-context/types.ts';
import { switchModel } from './provider-fallback.ts';

/** Milliseconds that a session waits for a budget, at most, until it looks again: an operator may have raised it. */
export const BUDGET_WAIT_MAX_MS = 6 * 3_600_000;

/** How an agent may go on. */
export interface Within {
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
  const within: Within = { maxIterations: context.resolved.maxIterations, conclude: false };
  const { budgets } = context;
  if (budgets === null) return within;
  const standings = (await budgets.read()).toSorted((a, b) => b.share - a.share);
  for (const standing of standings) {
    context.observer.metrics.budgetRead(standing.budget.name, standing.key, standing.share);
    if (standing.share >= WARNING_SHARE && standing.share < 1) await tell(context, standing, null, '');
    for (const step of activeDegradations(standing.budget, standing.share))
      await apply(context, within, standing, step);
  }
  return within;
}

async function apply(
  context: AgentContext,
  within: Within,
  standing: BudgetStatus,
  step: Degradation,
): Promise<void> {
  if (step === 'CHEAPER_MODEL') {
    if (!switchToCheaper(context, standing.budget.cheaperLlmProvider)) return;
    await tell(context, standing, step, `From here on the model is ${context.llm.model}.`);
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

/** @returns false when the agent cannot work with that model, does already, or could not have it. */
function switchToCheaper(context: AgentContext, name: string | null): boolean {
  const { config, resolved, llm, abandonedProviders } = context;
  const provider = name === null ? undefined : config.llmProviders[name];
  if (
    !provider ||
    abandonedProviders.has(provider.name) ||
    strategyProblem(resolved.strategy, provider) !== null
  )
    return false;
  if (provider.type === llm.provider && provider.model === llm.model) return false;
  switchModel(context, withProvider(config, resolved, provider.name));
  return true;
}

async function tell(
  { budgets, transcript, executionId }: AgentContext,
  standing: BudgetStatus,
  degradation: Degradation | null,
  done: string,
): Promise<void> {
  const { budget, used, share } = standing;
  if (!budgets!.markReported(executionId, budget.name, degradation ?? 'WARNING')) return;
  const content = `${describeUse(standing, used)}. ${done}`.trim();
  const metadata = { budget: budget.name, share, ...(degradation && { degradation }) };
  await transcript.addEvent({ type: 'BUDGET_REACHED', content, metadata });
}
