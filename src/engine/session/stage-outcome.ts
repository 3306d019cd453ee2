import type { SuccessPolicy } from '../../config/enums.ts';
import type { TerminalStatus } from '../../db/enums.ts';
import type { ExecutionOutcome } from './execute.ts';

export interface StageOutcome {
  status: TerminalStatus;
  /** The only agent's analysis; null where several agents' results are joined by a synthesis. */
  finalAnalysis: string | null;
  errorMessage: string | null;
}

/** What a stage came to: ANY = one agent completed, ALL = every one did. */
export function stageOutcome(
  agents: readonly Pick<ExecutionOutcome, 'name' | 'status' | 'finalAnalysis' | 'errorMessage'>[],
  policy: SuccessPolicy,
): StageOutcome {
  const completed = agents.filter(({ status }) => status === 'COMPLETED');
  const enough = policy === 'ALL' ? completed.length === agents.length : completed.length > 0;
  if (enough) {
    const finalAnalysis = agents.length === 1 ? (agents[0]?.finalAnalysis ?? null) : null;
    return { status: 'COMPLETED', finalAnalysis, errorMessage: null };
  }
  return { status: failureStatus(agents), finalAnalysis: null, errorMessage: failureMessage(agents, policy) };
}

/** The agents' own status where those that did not complete agree on one. */
function failureStatus(agents: readonly { status: TerminalStatus }[]): TerminalStatus {
  const statuses = new Set(agents.map(({ status }) => status).filter((status) => status !== 'COMPLETED'));
  const [only] = statuses;
  return statuses.size === 1 && only ? only : 'FAILED';
}

function failureMessage(
  agents: readonly Pick<ExecutionOutcome, 'name' | 'status' | 'errorMessage'>[],
  policy: SuccessPolicy,
): string | null {
  if (agents.length === 1) return agents[0]?.errorMessage ?? null;
  const failed = agents.filter(({ status }) => status !== 'COMPLETED');
  const lines = failed.map(
    ({ name, status, errorMessage }) =>
      `${name} (${status.toLowerCase()}): ${(errorMessage ?? 'no reason given').replace(/\.$/, '')}`,
  );
  const rule = policy === 'ALL' ? 'all must complete' : 'one must complete';
  return `${failed.length} of ${agents.length} agents did not complete (${rule}). ${lines.join('; ')}.`;
}
