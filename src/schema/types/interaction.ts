import type { ObjectFieldBuilder } from '@pothos/core';
import { nodeType, type Types } from '../builder.ts';
import type { Loaders } from '../context.ts';
import { enums } from '../enums.ts';
import { inlineMessages, type MessageView } from '../inline-messages.ts';
import { LARGE_VALUE, queryCost } from '../query-cost.ts';
import { queryById } from '../root-fields.ts';
import type { LlmInteractionHead, McpInteractionHead } from '../views.ts';
import { Cost, errorMessage, TokenUsage } from './measures.ts';
import { LlmInteractionRef, McpInteractionRef, MessageRef } from './refs.ts';

nodeType(LlmInteractionRef, 'One model call.', (t) => ({
  type: t.expose('type', { type: enums.LlmInteractionType, description: 'Purpose of the call.' }),
  iteration: t.exposeInt('iteration', {
    nullable: true,
    description: 'Iteration of the agent, from 1; null outside of iterations.',
  }),
  modelName: t.exposeString('modelName', { description: 'Provider’s name for the model.' }),
  provider: t.exposeString('provider', { description: 'Name of the LLM provider in the configuration.' }),
  request: t.field({
    extensions: LARGE_VALUE,
    type: 'JSON',
    description: 'Request without the messages of `conversation`.',
    resolve: async ({ id }, _args, { loaders }) => (await loaders.llmInteractionBody.load(id))?.request ?? {},
  }),
  response: t.field({
    extensions: LARGE_VALUE,
    type: 'JSON',
    description: 'Answer of the model as far as it was received; empty if nothing was.',
    resolve: async ({ id }, _args, { loaders }) =>
      (await loaders.llmInteractionBody.load(id))?.response ?? {},
  }),
  thinking: t.string({
    extensions: LARGE_VALUE,
    nullable: true,
    description: 'Thoughts of the model; null if it gave none.',
    resolve: async ({ id }, _args, { loaders }) => (await loaders.llmInteractionBody.load(id))?.thinking,
  }),
  conversation: t.field({
    type: [MessageRef],
    extensions: queryCost({ rows: 20 }),
    description: 'Messages sent to the model, in order. The answer is in `response`.',
    resolve: (interaction, _args, { loaders }) => conversation(interaction, loaders),
  }),
  tokenUsage: t.field({
    type: TokenUsage,
    resolve: (interaction) => interaction,
    description: 'Tokens as counted by the provider; zeros if it gave none.',
  }),
  cost: t.field({
    type: Cost,
    description: 'Cost of the call.',
    resolve: ({ costUsd }) => ({ usd: costUsd ?? 0, unpricedCalls: costUsd == null ? 1 : 0 }),
  }),
  durationMs: t.exposeInt('durationMs', {
    description: 'Milliseconds from the request to the end of the answer.',
  }),
  errorMessage: errorMessage(t),
  createdAt: t.expose('createdAt', {
    type: 'DateTime',
    description: 'When it was recorded, at the end of the call.',
  }),
}));

async function conversation(interaction: LlmInteractionHead, loaders: Loaders): Promise<MessageView[]> {
  const { executionId, lastMessageSequence } = interaction;
  if (!executionId || lastMessageSequence == null) return inlineMessages(interaction, loaders);
  const messages = await loaders.messagesOfExecution.load(executionId);
  return messages.filter((message) => message.sequenceNumber <= lastMessageSequence);
}

const bodyField = (
  t: ObjectFieldBuilder<Types, McpInteractionHead>,
  name: 'arguments' | 'result' | 'availableTools',
  description: string,
) =>
  t.field({
    extensions: LARGE_VALUE,
    type: 'JSON',
    nullable: true,
    description,
    resolve: async ({ id }, _args, { loaders }) => (await loaders.mcpInteractionBody.load(id))?.[name],
  });

nodeType(McpInteractionRef, 'One exchange with an MCP server: a tool call or a tool listing.', (t) => ({
  serverName: t.exposeString('serverName', { description: 'Name of the server in the configuration.' }),
  toolName: t.exposeString('toolName', {
    nullable: true,
    description: 'Name of the tool; null for a listing.',
  }),
  arguments: bodyField(t, 'arguments', 'Arguments of the call; null for a listing.'),
  result: bodyField(t, 'result', 'Answer of the server, masked; null for a listing, or if there was none.'),
  availableTools: bodyField(
    t,
    'availableTools',
    'Names, descriptions, schemas and hints of the tools; null for a call.',
  ),
  durationMs: t.exposeInt('durationMs', { description: 'Duration in milliseconds.' }),
  errorMessage: errorMessage(t),
  createdAt: t.expose('createdAt', {
    type: 'DateTime',
    description: 'When it was recorded, at the end of the exchange.',
  }),
}));

queryById('llmInteraction', LlmInteractionRef, 'One model call');
queryById('mcpInteraction', McpInteractionRef, 'One exchange with an MCP server');
