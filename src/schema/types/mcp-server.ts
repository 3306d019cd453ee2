import type { McpToolValue } from '../../db/entities/index.ts';
import { builder, objectType } from '../builder.ts';
import type { Context } from '../context.ts';
import { badUserInput } from '../errors.ts';
import type { McpServerHead } from '../views.ts';

const McpTool = objectType<McpToolValue>(
  'McpTool',
  'A tool of an MCP server, as the server describes it.',
  (t) => ({
    name: t.exposeString('name', { description: 'Name on its server.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Description by the server; null if it gives none.',
    }),
    inputSchema: t.expose('inputSchema', { type: 'JSON', description: 'JSON Schema of the arguments.' }),
    readOnly: t.exposeBoolean('readOnly', {
      nullable: true,
      description: 'True if the server declares that the tool changes nothing; null if not declared.',
    }),
    destructive: t.exposeBoolean('destructive', {
      nullable: true,
      description: 'True if the server declares that the tool may destroy something; null if not declared.',
    }),
    idempotent: t.exposeBoolean('idempotent', {
      nullable: true,
      description:
        'True if the server declares that repeating a call with the same arguments changes nothing more; null if not declared.',
    }),
    openWorld: t.exposeBoolean('openWorld', {
      nullable: true,
      description:
        'True if the server declares that the tool reaches beyond its own domain; null if not declared.',
    }),
    offered: t.boolean({
      description: 'True if the policy offers the tool to agents.',
      // `offered` is missing until the next health check if an older version of TARSy made the last one.
      resolve: ({ offered = false }) => offered,
    }),
    policy: t.string({
      description:
        'Class (reads, changes or undeclared), the rule that assigns it, and whether the tool is withheld; for people.',
      resolve: ({ policy = 'not checked yet' }) => policy,
    }),
  }),
);

const McpServer = objectType<McpServerHead>('McpServer', 'An MCP server of the configuration.', (t) => ({
  id: t.exposeID('id', { description: 'Name in the configuration.' }),
  healthy: t.exposeBoolean('healthy', { description: 'True if the server was usable at the last check.' }),
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
}));

const NOT_MONITORED = 'Built in, and not used by any configured chain.';

builder.queryField('mcpServers', (t) =>
  t.field({
    type: [McpServer],
    description: 'All configured MCP servers, with the result of the last check.',
    resolve: (_root, _args, context) =>
      serversOf(
        context,
        context.mcpServers.servers.map(({ id }) => id),
      ),
  }),
);

/** Adds a root query for the default or the selectable servers of an alert type. */
function serversQuery(name: string, description: string, of: 'defaults' | 'selectable') {
  builder.queryField(name, (t) =>
    t.field({
      type: [McpServer],
      description,
      args: { alertType: t.arg.string({ description: 'Null for the default type.' }) },
      resolve: (_root, { alertType = null }, context) => {
        const ids = context.mcpServers[of](alertType);
        if (ids === null && alertType !== null)
          throw badUserInput('There is no such alert type; the query alertTypes lists them.');
        return serversOf(context, ids ?? []);
      },
    }),
  );
}

serversQuery('defaultTools', 'MCP servers that an alert of a type uses by default.', 'defaults');
serversQuery(
  'selectableTools',
  'MCP servers that the sender of an alert of a type may choose: those of its chain, unless configured otherwise.',
  'selectable',
);

async function serversOf({ loaders, mcpServers }: Context, ids: readonly string[]): Promise<McpServerHead[]> {
  const monitored = new Set(mcpServers.servers.filter((server) => server.monitored).map(({ id }) => id));
  return Promise.all(
    ids.map(async (id) => {
      const unknown = { id, healthy: false, lastCheckedAt: null, error: null };
      if (!monitored.has(id)) return { ...unknown, error: NOT_MONITORED };
      return (await loaders.mcpServer.load(id)) ?? unknown;
    }),
  );
}
