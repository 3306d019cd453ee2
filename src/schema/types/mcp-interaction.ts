import { builder } from '../builder.ts';
import { LARGE_VALUE } from '../query-cost.ts';
import { McpInteractionRef } from './refs.ts';

builder.node(McpInteractionRef, {
  description: 'One exchange with an MCP server: a call of a tool, or a listing of tools.',
  id: { resolve: (interaction) => interaction.id },
  fields: (t) => ({
    serverName: t.exposeString('serverName', { description: 'Name of the server in the configuration.' }),
    toolName: t.exposeString('toolName', { nullable: true, description: 'Null for a listing of tools.' }),
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
      description: 'What the server answered, masked; null for a listing, or when nothing came.',
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
    durationMs: t.exposeInt('durationMs', { description: 'Milliseconds that it took.' }),
    errorMessage: t.exposeString('errorMessage', {
      nullable: true,
      description: 'Why it failed, for people; null unless it did.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was recorded: at its end.' }),
  }),
});
