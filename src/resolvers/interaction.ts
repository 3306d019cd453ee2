import { builder } from '../schema/builder.ts';
import type { Context } from '../schema/context.ts';
import { keyOf } from '../schema/ids.ts';
import { loadNode } from '../schema/nodes.ts';
import { LlmInteractionRef, McpInteractionRef } from '../schema/types/refs.ts';

builder.queryField('llmInteraction', (t) =>
  t.field({
    type: LlmInteractionRef,
    nullable: true,
    description: 'One model call; null if there is none with this id.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID.' }) },
    resolve: (_root, { id }, context) => load('LlmInteraction', id, context),
  }),
);

builder.queryField('mcpInteraction', (t) =>
  t.field({
    type: McpInteractionRef,
    nullable: true,
    description: 'One exchange with an MCP server; null if there is none with this id.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID.' }) },
    resolve: (_root, { id }, context) => load('McpInteraction', id, context),
  }),
);

function load(
  typename: 'LlmInteraction' | 'McpInteraction',
  id: string,
  context: Context,
): Promise<never> | null {
  const key = keyOf(typename, id);
  return key ? (loadNode({ typename, id: key }, context) as Promise<never>) : null;
}
