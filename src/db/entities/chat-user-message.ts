import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { Chat } from './chat.ts';
import { createdAt, id, reference } from './columns.ts';

export const ChatUserMessage = defineEntity({
  name: 'ChatUserMessage',
  tableName: 'chat_user_messages',
  properties: {
    id: id(),
    chatId: () => reference(Chat, 'chat_id'),
    author: p.text(),
    content: p.text(),
    createdAt: createdAt(),
  },
  indexes: [{ name: 'chat_user_messages_page', properties: ['chatId', 'createdAt', 'id'] }],
});
export type ChatUserMessageRow = InferEntity<typeof ChatUserMessage>;
