import type { McpToolValue } from '../../db/entities/index.ts';
import { builder } from '../builder.ts';
import type { McpServerHead } from '../views.ts';

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
    readOnly: t.boolean({
      nullable: true,
      description: 'The server declares that it changes nothing; null when it does not say.',
      resolve: ({ readOnly }) => readOnly,
    }),
    destructive: t.boolean({
      nullable: true,
      description: 'The server declares that it may destroy something; null when it does not say.',
      resolve: ({ destructive }) => destructive,
    }),
    idempotent: t.boolean({
      nullable: true,
      description:
        'The server declares that calling it again with the same arguments changes nothing more; null when it does not say.',
      resolve: ({ idempotent }) => idempotent,
    }),
    openWorld: t.boolean({
      nullable: true,
      description: 'The server declares that it reaches beyond its own domain; null when it does not say.',
      resolve: ({ openWorld }) => openWorld,
    }),
    offered: t.boolean({
      description: 'Whether policy lets agents have it.',
      // Of a server that was last checked by an older version nothing is known until its next check.
      resolve: ({ offered = false }) => offered,
    }),
    policy: t.string({
      description:
        'Its class (reads, changes or undeclared), the rule that says so, and whether it is withheld; for people.',
      resolve: ({ policy = 'not checked yet' }) => policy,
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
