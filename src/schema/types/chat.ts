import { ConflictError, NotFoundError, ShuttingDownError, ValidationError } from '../../common/errors.ts';
import type { ChatRow, ChatUserMessageRow, StageRow } from '../../db/entities/index.ts';
import { builder, nodeType, objectType } from '../builder.ts';
import { changeVisible } from '../root-fields.ts';
import { mutationResult } from './errors.ts';
import { ChatMessageRef, ChatRef, SessionRef, StageRef } from './refs.ts';
import { AnswerReportRef } from './report.ts';

nodeType(ChatRef, 'The questions about one investigation, with their answers.', (t) => ({
  session: t.field({
    type: SessionRef,
    description: 'Session that the questions are about.',
    resolve: ({ sessionId }, _args, { loaders }) => loaders.session.load(sessionId) as never,
  }),
  createdBy: t.exposeString('createdBy', {
    nullable: true,
    description: 'User who asked the first question; null if unknown.',
  }),
  createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the first question was asked.' }),
  messages: t.field({
    type: [ChatMessageRef],
    description: 'Questions, oldest first. The stage of a question is its answer.',
    resolve: ({ id }, _args, { loaders }) => loaders.messagesOfChat.load(id),
  }),
}));

nodeType(ChatMessageRef, 'A question about an investigation.', (t) => ({
  author: t.exposeString('author', { description: 'User or token that asked, as in `Session.author`.' }),
  content: t.exposeString('content', { description: 'The question, as it was asked.' }),
  createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was asked.' }),
  stage: t.field({
    type: StageRef,
    nullable: true,
    description: 'Stage that answers the question; null until it is created.',
    resolve: ({ id }, _args, { loaders }) => loaders.stageOfChatMessage.load(id),
  }),
  report: t.field({
    type: AnswerReportRef,
    nullable: true,
    description:
      'Checked claims of the answer; null until they exist, if the answer uses no tool result, or if the model gave none.',
    resolve: async ({ id }, _args, { loaders }) => {
      const stage = await loaders.stageOfChatMessage.load(id);
      return stage && loaders.reportOfAnswer.load(stage.id);
    },
  }),
}));

const SendChatMessageInput = builder.inputType('SendChatMessageInput', {
  description: 'A question about an investigation that has ended.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'Global id or UUID of the session.' }),
    content: t.string({ required: true, description: '1 to 100,000 characters.' }),
  }),
});

const SendChatMessageSuccess = objectType<{ chat: ChatRow; message: ChatUserMessageRow; stage: StageRow }>(
  'SendChatMessageSuccess',
  'The question is stored and is being answered.',
  (t) => ({
    chat: t.expose('chat', { type: ChatRef, description: 'Chat of the question.' }),
    chatMessage: t.expose('message', { type: ChatMessageRef, description: 'The question.' }),
    message: t.expose('message', {
      type: ChatMessageRef,
      description: 'The question.',
      deprecationReason:
        'Error.message is a text: a selection of both needs an alias. Use chatMessage. Goes not before 2027-06-01.',
    }),
    stage: t.expose('stage', { type: StageRef, description: 'Stage that answers the question.' }),
  }),
);

const SendChatMessage = mutationResult(
  'SendChatMessage',
  [ValidationError, NotFoundError, ConflictError, ShuttingDownError],
  SendChatMessageSuccess,
);

builder.mutationField('sendChatMessage', (t) =>
  t.field({
    type: SendChatMessage.type,
    description: 'Asks a question about an investigation that has ended. The answer streams as a stage.',
    args: { input: t.arg({ type: SendChatMessageInput, required: true, description: 'The question.' }) },
    resolve: (_root, { input: { sessionId: id, content } }, context) =>
      changeVisible({ result: SendChatMessage, type: 'Session', id, context }, (key) =>
        context.engine.sendChatMessage(key, { content, id: null }, context.viewer),
      ),
  }),
);
