import { z } from 'zod';
import { count, duration } from './common.ts';
import { settings } from './settings.ts';

/** What holds for the sub-agents of an agent, and for theirs. */
const keys = {
  max_agents: count('Sub-agents of one agent, theirs included, over all of its work', 1, 200),
  max_concurrent_agents: count('… at work at the same time', 1, 50),
  agent_timeout: duration('Work of one sub-agent'),
  max_budget: duration(
    'From the beginning of an agent’s work: then its sub-agents are stopped, and it gets no more of them',
  ),
};

export const orchestratorDefaults = settings(
  z
    .strictObject({
      max_agents: keys.max_agents.prefault(20),
      max_concurrent_agents: keys.max_concurrent_agents.prefault(5),
      agent_timeout: keys.agent_timeout.prefault('420s'),
      max_budget: keys.max_budget.prefault('900s'),
    })
    .describe('Limits on the sub-agents of an agent'),
);

export const orchestrator = settings(
  z
    .strictObject({
      max_agents: keys.max_agents.optional(),
      max_concurrent_agents: keys.max_concurrent_agents.optional(),
      agent_timeout: keys.agent_timeout.optional(),
      max_budget: keys.max_budget.optional(),
    })
    .describe('Limits on its sub-agents; default: defaults.orchestrator'),
);
