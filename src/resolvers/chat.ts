import { ConflictError, NotFoundError, ShuttingDownError, ValidationError } from '../common/errors.ts';
import { builder } from '../schema/builder.ts';
import { SendChatMessageInput, SendChatMessageResult } from '../schema/types/chat.ts';
import { changeVisible } from './mutation-support.ts';

const DECLARED = [ValidationError, NotFoundError, ConflictError, ShuttingDownError];

builder.mutationField('sendChatMessage', (t) =>
  t.field({
    type: SendChatMessageResult,
    description: 'Asks a question about an investigation that has ended. The answer streams as a stage.',
    args: { input: t.arg({ type: SendChatMessageInput, required: true, description: 'The question.' }) },
    resolve: (_root, { input: { sessionId: id, content } }, { engine, loaders, viewer }) =>
      changeVisible({ type: 'Session', id, loader: loaders.session }, DECLARED, (key) =>
        engine.sendChatMessage(key, content, viewer),
      ),
  }),
);
