import { builder } from '../builder.ts';
import { ChatMessageRef, ChatRef, SessionRef, StageRef } from './refs.ts';
import { AnswerReportRef } from './report.ts';

builder.node(ChatRef, {
  description: 'The questions about one investigation, with their answers.',
  id: { resolve: (chat) => chat.id },
  fields: (t) => ({
    session: t.field({
      type: SessionRef,
      description: 'The session that is asked about.',
      resolve: ({ sessionId }, _args, { loaders }) => loaders.session.load(sessionId) as never,
    }),
    createdBy: t.exposeString('createdBy', {
      nullable: true,
      description: 'Who asked first; null when it is not known.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the first question came.' }),
    messages: t.field({
      type: [ChatMessageRef],
      description: 'The questions, oldest first; each answer is the stage of its question.',
      resolve: ({ id }, _args, { loaders }) => loaders.messagesOfChat.load(id),
    }),
  }),
});

builder.node(ChatMessageRef, {
  description: 'A question about an investigation.',
  id: { resolve: (message) => message.id },
  fields: (t) => ({
    author: t.exposeString('author', { description: 'Who asked, as `Session.author`.' }),
    content: t.exposeString('content', { description: 'The question, as it was asked.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was asked.' }),
    stage: t.field({
      type: StageRef,
      nullable: true,
      description: 'The stage that answers it; null before there is one.',
      resolve: ({ id }, _args, { loaders }) => loaders.stageOfChatMessage.load(id),
    }),
    report: t.field({
      type: AnswerReportRef,
      nullable: true,
      description:
        'What its answer says, in parts that were checked; null while there is none, when the answer rests on no result, or when the model gave none.',
      resolve: async ({ id }, _args, { loaders }) => {
        const stage = await loaders.stageOfChatMessage.load(id);
        return stage && loaders.reportOfAnswer.load(stage.id);
      },
    }),
  }),
});
