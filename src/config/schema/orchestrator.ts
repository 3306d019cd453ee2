import { z } from 'zod';
import { count, duration } from './common.ts';
import { settings } from './settings.ts';

/** Limits on the sub-agents of an agent, at all levels. */
const keys = {
  max_agents: count('Total number of sub-agents of one agent, at all levels', 1, 200),
  max_concurrent_agents: count('Number of sub-agents that run at the same time', 1, 50),
  agent_timeout: duration('Time limit of one sub-agent'),
  max_budget: duration(
    'Time after an agent’s start when its sub-agents are stopped and it can start no more',
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
    .describe('Limits on the agent’s sub-agents; default: defaults.orchestrator'),
);
