import { z } from 'zod';
import { NATIVE_TOOLS, type NativeTool } from '../enums.ts';
import { agentToolPattern, count, duration, list, overrideKeys } from './common.ts';
import { mapping, settings } from './settings.ts';

export const nativeTools = z
  .partialRecord(z.enum(NATIVE_TOOLS), z.boolean())
  .describe('Tools that Google’s models run themselves; each is off unless set to true');

/** All native tools are off by default, because they send questions to the web and cost extra. */
export const NO_NATIVE_TOOLS: Readonly<Record<NativeTool, boolean>> = {
  google_search: false,
  code_execution: false,
  url_context: false,
};

const orchestratorKeys = z.strictObject({
  max_agents: count(1, 200).describe('Total number of sub-agents of one agent, at all levels'),
  max_concurrent_agents: count(1, 50).describe('Number of sub-agents that run at the same time'),
  agent_timeout: duration(
    'Time limit of one sub-agent; default: none, it concludes before its agent must conclude',
  ).optional(),
  max_budget: duration(
    'Time after an agent’s start within which its sub-agents must conclude; then it can start no more',
  ),
});

const { shape } = orchestratorKeys;
export const orchestratorDefaults = mapping({
  max_agents: shape.max_agents.prefault(20),
  max_concurrent_agents: shape.max_concurrent_agents.prefault(5),
  agent_timeout: shape.agent_timeout,
  max_budget: shape.max_budget.prefault('900s'),
}).describe('Limits on the sub-agents of an agent');

export const agentSchema = mapping({
  description: z
    .string()
    .describe('Description for users, and for agents that delegate tasks to this agent')
    .prefault(''),
  custom_instructions: z.string().describe('Instructions for the model about this agent’s work').prefault(''),
  native_tools: nativeTools.prefault({}),
  tools: list(
    agentToolPattern,
    'Tools of its MCP servers that the agent may use, as server.tool; * stands for any text. Default: all',
  ).optional(),
  skills: list(
    z.string().min(1),
    'Skills in the folder skills/ that the agent may load; default: all; [] = none',
  ).optional(),
  required_skills: list(
    z.string().min(1),
    'Skills whose texts are always part of the agent’s instructions',
  ).prefault([]),
  orchestrator: settings(orchestratorKeys.partial())
    .describe('Limits on the agent’s sub-agents; default: defaults.orchestrator')
    .optional(),
  ...overrideKeys,
}).describe('An agent');
