import { builder } from '../builder.ts';
import type { LlmInteractionHead, Loaders } from '../context.ts';
import { LlmInteractionType } from '../enums.ts';
import { inlineMessages, type MessageView } from '../inline-messages.ts';
import { LlmInteractionRef, MessageRef } from './refs.ts';
import { TokenUsage } from './token-usage.ts';

builder.node(LlmInteractionRef, {
  id: { resolve: (interaction) => interaction.id },
  fields: (t) => ({
    type: t.expose('type', { type: LlmInteractionType }),
    iteration: t.exposeInt('iteration', { nullable: true, description: '1-based.' }),
    modelName: t.exposeString('modelName'),
    provider: t.exposeString('provider'),
    request: t.field({
      type: 'JSON',
      resolve: async ({ id }, _args, { loaders }) =>
        (await loaders.llmInteractionBody.load(id))?.request ?? {},
    }),
    response: t.field({
      type: 'JSON',
      resolve: async ({ id }, _args, { loaders }) =>
        (await loaders.llmInteractionBody.load(id))?.response ?? {},
    }),
    thinking: t.string({
      nullable: true,
      resolve: async ({ id }, _args, { loaders }) => (await loaders.llmInteractionBody.load(id))?.thinking,
    }),
    conversation: t.field({
      type: [MessageRef],
      description: 'The messages that the model was sent, in order; what it answered is in `response`.',
      resolve: (interaction, _args, { loaders }) => conversation(interaction, loaders),
    }),
    tokenUsage: t.field({ type: TokenUsage, resolve: (interaction) => interaction }),
    durationMs: t.exposeInt('durationMs'),
    errorMessage: t.exposeString('errorMessage', { nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

async function conversation(interaction: LlmInteractionHead, loaders: Loaders): Promise<MessageView[]> {
  const { executionId, lastMessageSequence } = interaction;
  if (!executionId || lastMessageSequence == null) return inlineMessages(interaction, loaders);
  const messages = await loaders.messagesOfExecution.load(executionId);
  return messages.filter((message) => message.sequenceNumber <= lastMessageSequence);
}
