import type { SystemWarningRow } from '../../db/entities/index.ts';
import { builder } from '../builder.ts';

export const SystemWarning = builder.objectRef<SystemWarningRow>('SystemWarning').implement({
  description: 'Something that operators should know of, for as long as it holds.',
  fields: (t) => ({
    id: t.exposeID('id'),
    category: t.exposeString('category', { description: 'Stable, such as mcp_health.' }),
    message: t.exposeString('message'),
    details: t.exposeString('details', { nullable: true }),
    serverId: t.exposeString('serverId', {
      nullable: true,
      description: 'The MCP server that it is about.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Since when it holds.' }),
  }),
});
