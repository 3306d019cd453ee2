import { builder } from '../builder.ts';
import { LARGE_VALUE } from '../query-cost.ts';
import { McpInteractionRef } from './refs.ts';

builder.node(McpInteractionRef, {
  description: 'One exchange with an MCP server: a tool call or a tool listing.',
  id: { resolve: (interaction) => interaction.id },
  fields: (t) => ({
    serverName: t.exposeString('serverName', { description: 'Name of the server in the configuration.' }),
    toolName: t.exposeString('toolName', {
      nullable: true,
      description: 'Name of the tool; null for a listing.',
    }),
    arguments: t.field({
      extensions: LARGE_VALUE,
      type: 'JSON',
      nullable: true,
      description: 'Arguments of the call; null for a listing.',
      resolve: async ({ id }, _args, { loaders }) => (await loaders.mcpInteractionBody.load(id))?.arguments,
    }),
    result: t.field({
      extensions: LARGE_VALUE,
      type: 'JSON',
      nullable: true,
      description: 'Answer of the server, masked; null for a listing, or if there was none.',
      resolve: async ({ id }, _args, { loaders }) => (await loaders.mcpInteractionBody.load(id))?.result,
    }),
    availableTools: t.field({
      extensions: LARGE_VALUE,
      type: 'JSON',
      nullable: true,
      description: 'Names and descriptions of the tools; null for a call.',
      resolve: async ({ id }, _args, { loaders }) =>
        (await loaders.mcpInteractionBody.load(id))?.availableTools,
    }),
    durationMs: t.exposeInt('durationMs', { description: 'Duration in milliseconds.' }),
    errorMessage: t.exposeString('errorMessage', {
      nullable: true,
      description: 'Reason for the failure, for people; null if it did not fail.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When it was recorded, at the end of the exchange.',
    }),
  }),
});
