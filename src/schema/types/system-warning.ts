import type { SystemWarningRow } from '../../db/entities/index.ts';
import { builder, objectType } from '../builder.ts';

const SystemWarning = objectType<SystemWarningRow>(
  'SystemWarning',
  'A current problem that operators should know about.',
  (t) => ({
    id: t.exposeID('id', { description: 'Stable while the warning is active.' }),
    category: t.exposeString('category', { description: 'Stable category, such as mcp_health.' }),
    message: t.exposeString('message', { description: 'The problem in a sentence.' }),
    details: t.exposeString('details', {
      nullable: true,
      description: 'Details such as the error; null if there are none.',
    }),
    serverId: t.exposeString('serverId', {
      nullable: true,
      description: 'Affected MCP server; null if there is none.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When the problem was first reported.',
    }),
  }),
);

builder.queryField('systemWarnings', (t) =>
  t.field({
    type: [SystemWarning],
    description: 'Active warnings, oldest first; the same from every process.',
    resolve: (_root, _args, { reads }) => reads.systemWarnings(),
  }),
);
