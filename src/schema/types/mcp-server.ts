import type { McpToolValue } from '../../db/entities/index.ts';
import { builder } from '../builder.ts';
import type { McpServerHead } from '../context.ts';

const McpTool = builder.objectRef<McpToolValue>('McpTool').implement({
  description: 'A tool of an MCP server, as the server describes it.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name on its server.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What the server says that it does; null when it says nothing.',
    }),
    inputSchema: t.field({
      type: 'JSON',
      description: 'JSON Schema of its arguments.',
      resolve: ({ inputSchema }) => inputSchema,
    }),
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
      description: 'When it was last checked; null: not yet, or never, because nothing uses it.',
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why it could not be used, or why it is not checked; null when neither.',
    }),
    tools: t.field({
      type: [McpTool],
      description: 'The tools that it had when it could last be used.',
      resolve: async ({ id }, _args, { loaders }) => (await loaders.mcpServerTools.load(id)) ?? [],
    }),
  }),
});
