import { builder } from '../schema/builder.ts';
import type { Context } from '../schema/context.ts';
import { badUserInput } from '../schema/errors.ts';
import { McpServer } from '../schema/types/mcp-server.ts';
import type { McpServerHead } from '../schema/views.ts';

const NOT_MONITORED = 'Not checked: it is built in, and no chain of the configuration uses it.';

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

builder.queryField('defaultTools', (t) =>
  t.field({
    type: [McpServer],
    description: 'MCP servers that an alert of a type uses by default.',
    args: { alertType: t.arg.string({ description: 'Null for the default type.' }) },
    resolve: (_root, { alertType }, context) =>
      serversFor(context, alertType, context.mcpServers.defaults(alertType ?? null)),
  }),
);

builder.queryField('selectableTools', (t) =>
  t.field({
    type: [McpServer],
    description:
      'MCP servers that the sender of an alert of a type may choose: those of its chain, unless configured otherwise.',
    args: { alertType: t.arg.string({ description: 'Null for the default type.' }) },
    resolve: (_root, { alertType }, context) =>
      serversFor(context, alertType, context.mcpServers.selectable(alertType ?? null)),
  }),
);

/** @param ids `null` if the alert type is unknown or there is no default type */
function serversFor(
  context: Context,
  alertType: string | null | undefined,
  ids: readonly string[] | null,
): Promise<McpServerHead[]> {
  if (ids === null && alertType != null)
    throw badUserInput('There is no such alert type; the query alertTypes lists them.');
  return serversOf(context, ids ?? []);
}

/** Reads the servers at once, in the order of their ids. */
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
