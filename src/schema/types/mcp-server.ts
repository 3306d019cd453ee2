import type { McpToolValue } from '../../db/entities/index.ts';
import { builder } from '../builder.ts';
import type { McpServerHead } from '../views.ts';

const McpTool = builder.objectRef<McpToolValue>('McpTool').implement({
  description: 'A tool of an MCP server, as the server describes it.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name on its server.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Description by the server; null if it gives none.',
    }),
    inputSchema: t.field({
      type: 'JSON',
      description: 'JSON Schema of the arguments.',
      resolve: ({ inputSchema }) => inputSchema,
    }),
    readOnly: t.boolean({
      nullable: true,
      description: 'True if the server declares that the tool changes nothing; null if not declared.',
      resolve: ({ readOnly }) => readOnly,
    }),
    destructive: t.boolean({
      nullable: true,
      description: 'True if the server declares that the tool may destroy something; null if not declared.',
      resolve: ({ destructive }) => destructive,
    }),
    idempotent: t.boolean({
      nullable: true,
      description:
        'True if the server declares that repeating a call with the same arguments changes nothing more; null if not declared.',
      resolve: ({ idempotent }) => idempotent,
    }),
    openWorld: t.boolean({
      nullable: true,
      description:
        'True if the server declares that the tool reaches beyond its own domain; null if not declared.',
      resolve: ({ openWorld }) => openWorld,
    }),
    offered: t.boolean({
      description: 'True if the policy offers the tool to agents.',
      // The policy is unknown until the next check if an older version made the last one.
      resolve: ({ offered = false }) => offered,
    }),
    policy: t.string({
      description:
        'Class (reads, changes or undeclared), the rule that assigns it, and whether the tool is withheld; for people.',
      resolve: ({ policy = 'not checked yet' }) => policy,
    }),
  }),
});

export const McpServer = builder.objectRef<McpServerHead>('McpServer').implement({
  description: 'An MCP server of the configuration.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Name in the configuration.' }),
    healthy: t.exposeBoolean('healthy', {
      description: 'True if the server was usable at the last check.',
    }),
    lastCheckedAt: t.expose('lastCheckedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the last check; null if not checked yet, or never checked because it is unused.',
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why the server is unusable or not checked; null otherwise.',
    }),
    tools: t.field({
      type: [McpTool],
      description: 'Tools at the last successful check.',
      resolve: async ({ id }, _args, { loaders }) => (await loaders.mcpServerTools.load(id)) ?? [],
    }),
  }),
});
