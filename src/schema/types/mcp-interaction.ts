import { builder } from '../builder.ts';
import { McpInteractionRef } from './refs.ts';

builder.node(McpInteractionRef, {
  id: { resolve: (interaction) => interaction.id },
  fields: (t) => ({
    serverName: t.exposeString('serverName'),
    toolName: t.exposeString('toolName', { nullable: true, description: 'Null for a listing of tools.' }),
    arguments: t.field({
      type: 'JSON',
      nullable: true,
      resolve: async ({ id }, _args, { loaders }) => (await loaders.mcpInteractionBody.load(id))?.arguments,
    }),
    result: t.field({
      type: 'JSON',
      nullable: true,
      resolve: async ({ id }, _args, { loaders }) => (await loaders.mcpInteractionBody.load(id))?.result,
    }),
    availableTools: t.field({
      type: 'JSON',
      nullable: true,
      resolve: async ({ id }, _args, { loaders }) =>
        (await loaders.mcpInteractionBody.load(id))?.availableTools,
    }),
    durationMs: t.exposeInt('durationMs'),
    errorMessage: t.exposeString('errorMessage', { nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});
