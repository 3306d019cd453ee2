import { z } from 'zod';
import { ESCALATIONS, SUCCESS_POLICIES } from '../enums.ts';
import { configEnum, count, flag, list, overrideKeys, reference, text } from './common.ts';
import { mapping, settings } from './settings.ts';

const stageAgent = mapping({ name: reference('Name of an agent'), ...overrideKeys });

const synthesis = mapping({
  agent: reference('Agent that merges the results').prefault('SynthesisAgent'),
  llm_provider: reference('Name of an LLM provider').optional(),
  iteration_strategy: configEnum(
    ['SYNTHESIS', 'SYNTHESIS_NATIVE_THINKING'],
    'Strategy of the synthesis; default: with native thinking if the stage’s agents use it',
  ).optional(),
}).describe('Synthesis of the results of several agents');

const stageKeys = z.strictObject({
  name: text('Name of the stage, unique in its chain').max(100),
  agents: list(stageAgent, 'Agents that run in parallel').min(1).max(20),
  replicas: count(1, 20).describe('Number of parallel copies of the stage’s only agent').prefault(1),
  success_policy: configEnum(
    SUCCESS_POLICIES,
    'any: one successful agent is enough; all: every agent must succeed',
  ).optional(),
  escalate: configEnum(
    ESCALATIONS,
    'always: the next stage runs; inconclusive: only if the report of this stage has no conclusive verdict',
  ).prefault('always'),
  synthesis: synthesis.prefault({}),
  ...overrideKeys,
});

const stage = settings(stageKeys, [
  'replicas',
  ({ replicas, agents }) =>
    typeof replicas === 'number' && replicas > 1 && Array.isArray(agents) && agents.length > 1
      ? `replicas are copies of one agent, but the stage has ${agents.length} agents`
      : null,
]);

const report = mapping({
  enabled: flag('Write a report; default: defaults.report.enabled').optional(),
  llm_provider: reference(
    'LLM provider that writes the report; default: defaults.report.llm_provider',
  ).optional(),
}).describe('The report of each investigation');

const scoring = mapping({
  enabled: flag('Score each completed investigation; default: defaults.scoring.enabled').optional(),
  llm_provider: reference('LLM provider that scores; default: defaults.scoring.llm_provider').optional(),
}).describe('Scoring of the chain’s investigations by a model');

const chat = mapping({
  enabled: flag('Answer follow-up questions').prefault(true),
  agent: reference('Agent that answers the questions').prefault('ChatAgent'),
  ...overrideKeys,
}).describe('Follow-up questions about a finished session');

export const chainSchema = mapping({
  alert_types: list(
    text('Alert type').max(100),
    'Alert types that this chain investigates; a type belongs to one chain',
  ).min(1),
  description: z.string().describe('Description for users').prefault(''),
  team: reference(
    'Team that owns the chain’s investigations, unless a rule or the sender names another',
  ).optional(),
  executive_summary_provider: reference('LLM provider of the executive summary').optional(),
  report: report.prefault({}),
  scoring: scoring.prefault({}),
  success_policy: configEnum(SUCCESS_POLICIES, 'Success policy of the chain’s stages: any or all').optional(),
  stages: list(stage, 'Stages, run one after the other').min(1).max(50),
  chat: chat.prefault({}),
  ...overrideKeys,
}).describe('Chain of stages that investigates alerts of certain types');
