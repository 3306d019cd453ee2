import { objectType } from '../builder.ts';
import { enums } from '../enums.ts';
import type { InvestigationHealth } from '../views.ts';

const MissingServer = objectType<InvestigationHealth['missingServers'][number]>(
  'MissingServer',
  'An MCP server that was unavailable to an agent.',
  (t) => ({
    name: t.exposeString('name', { description: 'Name in the configuration.' }),
    reason: t.exposeString('reason', { description: 'Why it was unavailable.' }),
  }),
);

const EarlyConclusion = objectType<InvestigationHealth['earlyConclusions'][number]>(
  'EarlyConclusion',
  'An agent that had to conclude before it had finished.',
  (t) => ({
    agentName: t.exposeString('agentName', { description: 'Name of the agent.' }),
    reason: t.expose('reason', { type: enums.ConclusionReason, description: 'Why it had to conclude.' }),
  }),
);

export const InvestigationHealthRef = objectType<InvestigationHealth>(
  'InvestigationHealth',
  'Problems that made an investigation incomplete, computed by the server and not by the model. Answers to questions do not count.',
  (t) => ({
    whole: t.exposeBoolean('whole', {
      description: 'True if no tool failed for good, no server was missing and the runbook was read.',
    }),
    toolCalls: t.exposeInt('toolCalls', { description: 'Number of tool calls.' }),
    failedToolCalls: t.exposeInt('failedToolCalls', {
      description: 'Failed tool calls, including those that a later call repeated successfully.',
    }),
    missingServers: t.expose('missingServers', {
      type: [MissingServer],
      description: 'Unavailable MCP servers, by name.',
    }),
    withheldTools: t.exposeInt('withheldTools', {
      description: 'Tools withheld from agents: not read-only, over the limit, or without a usable schema.',
    }),
    runbookProblem: t.exposeString('runbookProblem', {
      nullable: true,
      description: 'Why the requested runbook was not used; null if it was, or if none was requested.',
    }),
    reportProblem: t.exposeString('reportProblem', {
      nullable: true,
      description: 'Why the report is missing; null if there is one, or if none was requested.',
    }),
    resumed: t.exposeInt('resumed', { description: 'Number of times that another process resumed it.' }),
    shortenedOutputs: t.exposeInt('shortenedOutputs', {
      description:
        'Tool results that the model received summarized or in part, or that were evicted from its conversation.',
    }),
    fallbacks: t.exposeInt('fallbacks', { description: 'Number of fallbacks to another provider.' }),
    earlyConclusions: t.expose('earlyConclusions', {
      type: [EarlyConclusion],
      description: 'Agents that had to conclude early, in the order of their conclusions.',
    }),
  }),
);
