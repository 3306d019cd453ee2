import { z } from 'zod';
import {
  count,
  iterationStrategy,
  overrideKeys,
  reference,
  successPolicy,
  text,
  withRules,
} from './common.ts';
import { settings } from './settings.ts';

/** A synthesis has no tools and one LLM call, whatever the agent's own strategy. */
const SYNTHESIS_STRATEGIES = ['SYNTHESIS', 'SYNTHESIS_NATIVE_THINKING'] as const;

const stageAgent = settings(z.strictObject({ name: reference('Name of an agent'), ...overrideKeys }));

const synthesis = settings(
  z
    .strictObject({
      agent: reference('Agent that joins the results').prefault('SynthesisAgent'),
      llm_provider: reference('Name of an LLM provider').optional(),
      iteration_strategy: iterationStrategy(
        'Default: like the stage’s agents, with thinking if theirs has it',
        SYNTHESIS_STRATEGIES,
      ).optional(),
    })
    .describe('How the results of several agents become one'),
);

const stageKeys = z.strictObject({
  name: text('Name of the stage, unique in its chain').max(100),
  agents: z.array(stageAgent).min(1).max(20).describe('Agents that work side by side'),
  replicas: count('Copies of the only agent that work side by side', 1, 20).prefault(1),
  success_policy: successPolicy('any = one success is enough, all = each must succeed').optional(),
  synthesis: synthesis.prefault({}),
  ...overrideKeys,
});

const stage = settings(
  withRules(stageKeys, [
    'replicas',
    ({ replicas, agents }) =>
      typeof replicas === 'number' && replicas > 1 && Array.isArray(agents) && agents.length > 1
        ? `replicas are copies of one agent, but the stage has ${agents.length} agents`
        : null,
  ]),
);

const report = settings(
  z
    .strictObject({
      enabled: z.boolean().describe('Whether one is made; default: defaults.report.enabled').optional(),
      llm_provider: reference('LLM provider that makes it; default: defaults.report.llm_provider').optional(),
    })
    .describe('The report of each investigation'),
);

const scoring = settings(
  z
    .strictObject({
      enabled: z
        .boolean()
        .describe('Whether each that completes is scored; default: defaults.scoring.enabled')
        .optional(),
      llm_provider: reference('LLM provider that judges; default: defaults.scoring.llm_provider').optional(),
    })
    .describe('What a judging model thinks of its investigations'),
);

const chat = settings(
  z
    .strictObject({
      enabled: z.boolean().describe('Whether follow-up questions are answered').prefault(true),
      agent: reference('Agent that answers').prefault('ChatAgent'),
      ...overrideKeys,
    })
    .describe('Follow-up questions about a finished session'),
);

export const chainSchema = settings(
  z
    .strictObject({
      alert_types: z
        .array(text('Alert type').max(100))
        .min(1)
        .describe('Alerts that this chain investigates; a type belongs to one chain'),
      description: z.string().describe('For people').prefault(''),
      team: reference(
        'Team whose its investigations are, unless a rule or their sender says another',
      ).optional(),
      executive_summary_provider: reference('LLM provider of the executive summary').optional(),
      report: report.prefault({}),
      scoring: scoring.prefault({}),
      success_policy: successPolicy('For its stages: any or all').optional(),
      stages: z.array(stage).min(1).max(50).describe('Stages, one after the other'),
      chat: chat.prefault({}),
      ...overrideKeys,
    })
    .describe('A chain of stages that investigates alerts of some types'),
);
