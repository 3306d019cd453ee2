import { builder } from '../builder.ts';
import { ChatMessageRef, ChatRef, SessionRef, StageRef } from './refs.ts';

builder.node(ChatRef, {
  id: { resolve: (chat) => chat.id },
  fields: (t) => ({
    session: t.field({
      type: SessionRef,
      resolve: ({ sessionId }, _args, { loaders }) => loaders.session.load(sessionId) as never,
    }),
    createdBy: t.exposeString('createdBy', { nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    messages: t.field({
      type: [ChatMessageRef],
      resolve: ({ id }, _args, { loaders }) => loaders.messagesOfChat.load(id),
    }),
  }),
});

builder.node(ChatMessageRef, {
  id: { resolve: (message) => message.id },
  fields: (t) => ({
    author: t.exposeString('author'),
    content: t.exposeString('content'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    stage: t.field({
      type: StageRef,
      nullable: true,
      description: 'The stage that answers it.',
      resolve: ({ id }, _args, { loaders }) => loaders.stageOfChatMessage.load(id),
    }),
  }),
});
