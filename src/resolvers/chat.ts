import { ConflictError, NotFoundError, ShuttingDownError, ValidationError } from '../common/errors.ts';
import { builder } from '../schema/builder.ts';
import { keyOf } from '../schema/ids.ts';
import { SendChatMessageInput, SendChatMessageResult } from '../schema/types/chat.ts';
import { orDeclared } from '../schema/types/errors.ts';
import { seen } from './mutation-support.ts';

const DECLARED = [ValidationError, NotFoundError, ConflictError, ShuttingDownError];

builder.mutationField('sendChatMessage', (t) =>
  t.field({
    type: SendChatMessageResult,
    description: 'Asks a question about an investigation that has ended. The answer streams as a stage.',
    args: { input: t.arg({ type: SendChatMessageInput, required: true, description: 'The question.' }) },
    resolve: async (_root, { input }, { engine, loaders, viewer }) => {
      const key = await seen(keyOf('Session', input.sessionId), loaders.session);
      if (key === null) return { declared: new NotFoundError('There is no session with this id.') };
      return orDeclared(engine.sendChatMessage(key, input.content, viewer), DECLARED);
    },
  }),
);
