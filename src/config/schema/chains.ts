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

/** The strategies of a synthesis: one LLM call without tools. */
const SYNTHESIS_STRATEGIES = ['SYNTHESIS', 'SYNTHESIS_NATIVE_THINKING'] as const;

const stageAgent = settings(z.strictObject({ name: reference('Name of an agent'), ...overrideKeys }));

const synthesis = settings(
  z
    .strictObject({
      agent: reference('Agent that merges the results').prefault('SynthesisAgent'),
      llm_provider: reference('Name of an LLM provider').optional(),
      iteration_strategy: iterationStrategy(
        'Strategy of the synthesis; default: with native thinking if the stage’s agents use it',
        SYNTHESIS_STRATEGIES,
      ).optional(),
    })
    .describe('Synthesis of the results of several agents'),
);

const stageKeys = z.strictObject({
  name: text('Name of the stage, unique in its chain').max(100),
  agents: z.array(stageAgent).min(1).max(20).describe('Agents that run in parallel'),
  replicas: count('Number of parallel copies of the stage’s only agent', 1, 20).prefault(1),
  success_policy: successPolicy(
    'any: one successful agent is enough; all: every agent must succeed',
  ).optional(),
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
      enabled: z.boolean().describe('Write a report; default: defaults.report.enabled').optional(),
      llm_provider: reference(
        'LLM provider that writes the report; default: defaults.report.llm_provider',
      ).optional(),
    })
    .describe('The report of each investigation'),
);

const scoring = settings(
  z
    .strictObject({
      enabled: z
        .boolean()
        .describe('Score each completed investigation; default: defaults.scoring.enabled')
        .optional(),
      llm_provider: reference('LLM provider that scores; default: defaults.scoring.llm_provider').optional(),
    })
    .describe('Scoring of the chain’s investigations by a model'),
);

const chat = settings(
  z
    .strictObject({
      enabled: z.boolean().describe('Answer follow-up questions').prefault(true),
      agent: reference('Agent that answers the questions').prefault('ChatAgent'),
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
        .describe('Alert types that this chain investigates; a type belongs to one chain'),
      description: z.string().describe('Description for users').prefault(''),
      team: reference(
        'Team that owns the chain’s investigations, unless a rule or the sender names another',
      ).optional(),
      executive_summary_provider: reference('LLM provider of the executive summary').optional(),
      report: report.prefault({}),
      scoring: scoring.prefault({}),
      success_policy: successPolicy('Success policy of the chain’s stages: any or all').optional(),
      stages: z.array(stage).min(1).max(50).describe('Stages, run one after the other'),
      chat: chat.prefault({}),
      ...overrideKeys,
    })
    .describe('Chain of stages that investigates alerts of certain types'),
);
