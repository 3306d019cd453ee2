import { switchedTo } from '../../../config/resolve.ts';
import { strategyProblem } from '../../../config/strategies.ts';
import { OverBudgetError } from '../../common/interruptions.ts';
import { budgetWait } from '../../features/budgets/budget-wait.ts';
import {
  activeDegradations,
  type BudgetStatus,
  type Degradation,
  describeUse,
  WARNING_SHARE,
} from '../../features/budgets/budgets.ts';
import { budgetNotifications } from '../../features/notifications/budget.ts';
import type { AgentContext } from '../../run-context/types.ts';
import { switchModel } from './provider-fallback.ts';

/** The limits that the budgets set for an agent's next call. */
interface BudgetDecision {
  maxIterations: number;
  /** True if the agent must conclude with its next call. */
  conclude: boolean;
}

/**
 * Checks the session's budgets before a model call and applies the degradations whose threshold is reached.
 * Adds a warning to the timeline once per session, and a degradation once per agent.
 * @throws OverBudgetError if the session must wait for a budget
 */
export async function checkBudgets(context: AgentContext): Promise<BudgetDecision> {
  const decision: BudgetDecision = { maxIterations: context.resolved.maxIterations, conclude: false };
  const { budgets } = context;
  if (budgets === null) return decision;
  const standings = (await budgets.read()).toSorted((a, b) => b.share - a.share);
  for (const standing of standings) {
    context.observer.metrics.budgetRead(standing.budget.name, standing.key, standing.share);
    if (standing.share >= WARNING_SHARE && standing.share < 1)
      await reportBudget(context, standing, null, '');
    for (const step of activeDegradations(standing.budget, standing.share))
      await apply(context, decision, standing, step);
  }
  return decision;
}

async function apply(
  context: AgentContext,
  decision: BudgetDecision,
  standing: BudgetStatus,
  step: Degradation,
): Promise<void> {
  if (step === 'CHEAPER_MODEL') {
    if (!switchToCheaper(context, standing.budget.cheaperLlmProvider)) return;
    await reportBudget(context, standing, step, `The agent now uses the model ${context.llm.model}.`);
  } else if (step === 'FEWER_ITERATIONS') {
    if (context.resolved.maxIterations === 1) return;
    decision.maxIterations = Math.ceil(context.resolved.maxIterations / 2);
    await reportBudget(
      context,
      standing,
      step,
      `The agent is now limited to ${decision.maxIterations} ${decision.maxIterations === 1 ? 'iteration' : 'iterations'}.`,
    );
  } else if (step === 'CONCLUDE') {
    decision.conclude = true;
    await reportBudget(context, standing, step, 'The agent now concludes from its current findings.');
  } else if (mustWait(context, decision)) {
    const wait = budgetWait(standing);
    await reportBudget(
      context,
      standing,
      step,
      'The investigation is paused until the budget is available again.',
    );
    throw new OverBudgetError(wait);
  }
}

/**
 * True if the agent must wait until its budget has room again. Only agents of investigation stages wait:
 * viewers wait for a chat answer, and a synthesis or report is a single last step. A session started with
 * "run now" never waits. If CONCLUDE is in force too, an agent with a stored answer concludes instead.
 */
function mustWait(
  { interactionType, session, transcript }: AgentContext,
  { conclude }: BudgetDecision,
): boolean {
  if (interactionType !== 'ITERATION' || session.runNowAt != null) return false;
  return !(conclude && transcript.messages.some(({ role }) => role === 'ASSISTANT'));
}

/**
 * Switches the agent to the named provider. @returns false if the agent cannot use that provider, already
 * uses its model, or fell back from it
 */
function switchToCheaper(context: AgentContext, name: string | null): boolean {
  const { config, resolved, llm, abandonedProviders } = context;
  const provider = name === null ? undefined : config.llmProviders[name];
  if (!provider || abandonedProviders.has(provider.name)) return false;
  if (strategyProblem(resolved.strategy, provider) !== null) return false;
  if (provider.type === llm.provider && provider.model === llm.model) return false;
  switchModel(context, switchedTo(config, resolved, provider.name));
  return true;
}

async function reportBudget(
  context: AgentContext,
  standing: BudgetStatus,
  degradation: Degradation | null,
  done: string,
): Promise<void> {
  const { budgets, transcript, executionId } = context;
  const { budget, used, share } = standing;
  if (!budgets!.markReported(executionId, budget.name, degradation ?? 'WARNING')) return;
  const content = `${describeUse(standing, used)}. ${done}`.trim();
  const metadata = { budget: budget.name, share, ...(degradation && { degradation }) };
  const { db, config, session } = context;
  const reached = { ...standing, measure: degradation, text: content };
  transcript.note(...(await budgetNotifications({ db, config }, session.id, reached)));
  await transcript.addEvent({ type: 'BUDGET_REACHED', content, metadata });
}
