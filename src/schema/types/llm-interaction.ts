import { builder } from '../builder.ts';
import type { Loaders } from '../context.ts';
import { LlmInteractionTypeEnum } from '../enums.ts';
import { inlineMessages, type MessageView } from '../inline-messages.ts';
import { LARGE_VALUE, queryCost } from '../query-cost.ts';
import type { LlmInteractionHead } from '../views.ts';
import { Cost, TokenUsage } from './measures.ts';
import { LlmInteractionRef, MessageRef } from './refs.ts';

builder.node(LlmInteractionRef, {
  description: 'One call of a model.',
  id: { resolve: (interaction) => interaction.id },
  fields: (t) => ({
    type: t.expose('type', { type: LlmInteractionTypeEnum, description: 'What it was for.' }),
    iteration: t.exposeInt('iteration', {
      nullable: true,
      description: 'The turn of the agent that it was, 1-based; null outside of turns.',
    }),
    modelName: t.exposeString('modelName', { description: 'The name that the provider has for the model.' }),
    provider: t.exposeString('provider', { description: 'Name of the LLM provider in the configuration.' }),
    request: t.field({
      extensions: LARGE_VALUE,
      type: 'JSON',
      description: 'What was sent, without the messages that `conversation` has.',
      resolve: async ({ id }, _args, { loaders }) =>
        (await loaders.llmInteractionBody.load(id))?.request ?? {},
    }),
    response: t.field({
      extensions: LARGE_VALUE,
      type: 'JSON',
      description: 'What the model answered, as far as it came; empty when nothing did.',
      resolve: async ({ id }, _args, { loaders }) =>
        (await loaders.llmInteractionBody.load(id))?.response ?? {},
    }),
    thinking: t.string({
      extensions: LARGE_VALUE,
      nullable: true,
      description: 'What the model thought; null when it gave none of it.',
      resolve: async ({ id }, _args, { loaders }) => (await loaders.llmInteractionBody.load(id))?.thinking,
    }),
    conversation: t.field({
      type: [MessageRef],
      extensions: queryCost({ rows: 20 }),
      description: 'The messages that the model was sent, in order; what it answered is in `response`.',
      resolve: (interaction, _args, { loaders }) => conversation(interaction, loaders),
    }),
    tokenUsage: t.field({
      type: TokenUsage,
      resolve: (interaction) => interaction,
      description: 'As the provider counts them; zeros when it did not say.',
    }),
    cost: t.field({
      type: Cost,
      description: 'What it cost.',
      resolve: ({ costUsd }) => ({ usd: costUsd ?? 0, unpricedCalls: costUsd == null ? 1 : 0 }),
    }),
    durationMs: t.exposeInt('durationMs', { description: 'Milliseconds from request to end of the answer.' }),
    errorMessage: t.exposeString('errorMessage', {
      nullable: true,
      description: 'Why it failed, for people; null unless it did.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was recorded: at its end.' }),
  }),
});

async function conversation(interaction: LlmInteractionHead, loaders: Loaders): Promise<MessageView[]> {
  const { executionId, lastMessageSequence } = interaction;
  if (!executionId || lastMessageSequence == null) return inlineMessages(interaction, loaders);
  const messages = await loaders.messagesOfExecution.load(executionId);
  return messages.filter((message) => message.sequenceNumber <= lastMessageSequence);
}
