import { builder } from '../builder.ts';
import type { Loaders } from '../context.ts';
import { LlmInteractionTypeEnum } from '../enums.ts';
import { inlineMessages, type MessageView } from '../inline-messages.ts';
import { LARGE_VALUE, queryCost } from '../query-cost.ts';
import type { LlmInteractionHead } from '../views.ts';
import { Cost, TokenUsage } from './measures.ts';
import { LlmInteractionRef, MessageRef } from './refs.ts';

builder.node(LlmInteractionRef, {
  description: 'One model call.',
  id: { resolve: (interaction) => interaction.id },
  fields: (t) => ({
    type: t.expose('type', { type: LlmInteractionTypeEnum, description: 'Purpose of the call.' }),
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
      resolve: async ({ id }, _args, { loaders }) =>
        (await loaders.llmInteractionBody.load(id))?.request ?? {},
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
    errorMessage: t.exposeString('errorMessage', {
      nullable: true,
      description: 'Reason for the failure, for people; null if it did not fail.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When it was recorded, at the end of the call.',
    }),
  }),
});

async function conversation(interaction: LlmInteractionHead, loaders: Loaders): Promise<MessageView[]> {
  const { executionId, lastMessageSequence } = interaction;
  if (!executionId || lastMessageSequence == null) return inlineMessages(interaction, loaders);
  const messages = await loaders.messagesOfExecution.load(executionId);
  return messages.filter((message) => message.sequenceNumber <= lastMessageSequence);
}
