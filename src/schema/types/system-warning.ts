import type { SystemWarningRow } from '../../db/entities/index.ts';
import { builder } from '../builder.ts';

export const SystemWarning = builder.objectRef<SystemWarningRow>('SystemWarning').implement({
  description: 'Something that operators should know of, for as long as it holds.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The same for as long as the warning holds.' }),
    category: t.exposeString('category', { description: 'What it is about: stable, such as mcp_health.' }),
    message: t.exposeString('message', { description: 'What is wrong, in a sentence.' }),
    details: t.exposeString('details', {
      nullable: true,
      description: 'What else is known, such as the error; null when nothing is.',
    }),
    serverId: t.exposeString('serverId', {
      nullable: true,
      description: 'The MCP server that it is about; null when it is about none.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Since when it holds.' }),
  }),
});
