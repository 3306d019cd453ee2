import type { McpToolValue } from '../../db/entities/index.ts';
import { builder } from '../builder.ts';
import type { McpServerHead } from '../context.ts';

const McpTool = builder.objectRef<McpToolValue>('McpTool').implement({
  fields: (t) => ({
    name: t.exposeString('name'),
    description: t.exposeString('description', { nullable: true }),
    inputSchema: t.field({ type: 'JSON', resolve: ({ inputSchema }) => inputSchema }),
  }),
});

export const McpServer = builder.objectRef<McpServerHead>('McpServer').implement({
  description: 'An MCP server of the configuration.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its name in the configuration.' }),
    healthy: t.exposeBoolean('healthy', {
      description: 'Whether it could be used when it was last checked.',
    }),
    lastCheckedAt: t.expose('lastCheckedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Null: not checked yet, or never, because nothing uses it.',
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why it could not be used, or why it is not checked.',
    }),
    tools: t.field({
      type: [McpTool],
      description: 'Those that it had when it could last be used.',
      resolve: async ({ id }, _args, { loaders }) => (await loaders.mcpServerTools.load(id)) ?? [],
    }),
  }),
});
