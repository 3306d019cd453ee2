import { builder } from '../builder.ts';
import type { InvestigationHealth } from '../views.ts';

const MissingServer = builder
  .objectRef<InvestigationHealth['missingServers'][number]>('MissingServer')
  .implement({
    description: 'An MCP server that agents should have had.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'Its name in the configuration.' }),
      reason: t.exposeString('reason', { description: 'Why they had it not.' }),
    }),
  });

export const InvestigationHealthRef = builder
  .objectRef<InvestigationHealth>('InvestigationHealth')
  .implement({
    description:
      'What kept an investigation from being whole, computed by the server; nothing in it is a model’s word. Answers to questions do not count.',
    fields: (t) => ({
      whole: t.exposeBoolean('whole', {
        description: 'True when no tool failed for good, no server was missing and the runbook was read.',
      }),
      toolCalls: t.exposeInt('toolCalls', { description: 'Calls of tools: what it was measured with.' }),
      failedToolCalls: t.exposeInt('failedToolCalls', {
        description: 'Those that failed, also when the tool was called again and succeeded.',
      }),
      missingServers: t.field({
        type: [MissingServer],
        description: 'MCP servers that an agent should have had, by name.',
        resolve: ({ missingServers }) => missingServers,
      }),
      withheldTools: t.exposeInt('withheldTools', {
        description: 'Tools that were not offered: not read-only, over the limit, or of no usable schema.',
      }),
      runbookProblem: t.exposeString('runbookProblem', {
        nullable: true,
        description:
          'Why the runbook that was asked for was not used; null when it was, or when none was asked for.',
      }),
      reportProblem: t.exposeString('reportProblem', {
        nullable: true,
        description: 'Why there is no report; null when there is one, and when none was to be made.',
      }),
      resumed: t.exposeInt('resumed', { description: 'Times that it went on in another process.' }),
      shortenedOutputs: t.exposeInt('shortenedOutputs', {
        description:
          'Results of tools that the model got summarized or in part, or that were taken out of its conversation to make room.',
      }),
      fallbacks: t.exposeInt('fallbacks', { description: 'Times that another provider took over.' }),
    }),
  });
