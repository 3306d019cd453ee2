import type { ChatRow, ChatUserMessageRow, StageRow } from '../../db/entities/index.ts';
import { builder } from '../builder.ts';
import {
  ConflictErrorRef,
  ForbiddenErrorRef,
  NotFoundErrorRef,
  resultTypeName,
  ShuttingDownErrorRef,
  ValidationErrorRef,
} from './errors.ts';
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

export const SendChatMessageInput = builder.inputType('SendChatMessageInput', {
  description: 'A question about an investigation that has ended.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'Global id or UUID of the session.' }),
    content: t.string({ required: true, description: '1 to 100,000 characters.' }),
  }),
});

const SendChatMessageSuccess = builder
  .objectRef<{ chat: ChatRow; message: ChatUserMessageRow; stage: StageRow }>('SendChatMessageSuccess')
  .implement({
    description: 'The question is stored, and its answer is under way.',
    fields: (t) => ({
      chat: t.field({
        type: ChatRef,
        description: 'The chat that the question is part of.',
        resolve: ({ chat }) => chat,
      }),
      chatMessage: t.field({
        type: ChatMessageRef,
        description: 'The question.',
        resolve: ({ message }) => message,
      }),
      message: t.field({
        type: ChatMessageRef,
        description: 'The question.',
        deprecationReason:
          'Error.message is a text: a selection of both needs an alias. Use chatMessage. Goes not before 2027-06-01.',
        resolve: ({ message }) => message,
      }),
      stage: t.field({
        type: StageRef,
        description: 'The stage that answers it.',
        resolve: ({ stage }) => stage,
      }),
    }),
  });

export const SendChatMessageResult = builder.unionType('SendChatMessageResult', {
  description: 'What became of a question.',
  types: [
    SendChatMessageSuccess,
    ValidationErrorRef,
    NotFoundErrorRef,
    ConflictErrorRef,
    ShuttingDownErrorRef,
    ForbiddenErrorRef,
  ],
  resolveType: (result) => resultTypeName(result, 'SendChatMessageSuccess'),
});
