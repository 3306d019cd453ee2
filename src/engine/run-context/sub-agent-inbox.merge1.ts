import { subAgentEndedPrompt } from './sub-agent-inbox.ts';
import type { AgentContext, SubAgent, SubAgents } from './types.ts';

/** Whether there are some of whose end the agent was not told: it is not done then, whatever it says. */
export function hasOpenSubAgents({ subAgents, transcript }: AgentContext): boolean {
  return untold(subAgents, transcript).length > 0;
}

/**
 * Tells an agent, before a call of the model, which of its sub-agents have ended, and with what: each once, because the message
 * says whose end it tells, and in the order in which they got their tasks.
 * @param until `now`: those that have ended by now; `one`: waits until one has; `all`: until all have
 * @throws the signal's reason, BreakOffError
 */
export async function tellSubAgents(context: AgentContext, until: 'now' | 'one' | 'all'): Promise<void> {
  const { subAgents, transcript, signal } = context;
  for (;;) {
    subAgents.check();
    const open = untold(subAgents, transcript);
    const ended = open.filter(({ status }) => status !== 'ACTIVE');
    const isEnough = until === 'now' || ended.length === open.length || (until === 'one' && ended.length > 0);
    if (isEnough) {
      for (const agent of ended)
        await transcript.addMessage({
          role: 'USER',
          content: subAgentEndedPrompt(agent),
          subAgentId: agent.id,
        });
      return;
    }
    await transcript.store(); // this may take long
    await subAgents.nextEnd();
    signal.throwIfAborted();
  }
}

function untold(
  subAgents: SubAgents,
  { messages }: Pick<AgentContext['transcript'], 'messages'>,
): SubAgent[] {
  const told = new Set(messages.map(({ subAgentId }) => subAgentId));
  return subAgents.all().filter(({ id }) => !told.has(id));
}
