import type { ChatRow, ChatUserMessageRow, StageRow } from '../../db/entities/index.ts';
import type { SessionSnapshot } from '../../engine/engine.ts';
import { builder } from '../builder.ts';
import {
  AlertTooLargeErrorRef,
  ConflictErrorRef,
  NotFoundErrorRef,
  resultTypeName,
  ShuttingDownErrorRef,
  ValidationErrorRef,
} from './errors.ts';
import { ChatMessageRef, ChatRef, SessionRef, StageRef } from './refs.ts';

// Plain unions: Success comes first, and every member is named here.
const SubmitAlertSuccess = builder.objectRef<SessionSnapshot>('SubmitAlertSuccess').implement({
  fields: (t) => ({ session: t.field({ type: SessionRef, resolve: (session) => session }) }),
});

export const SubmitAlertResult = builder.unionType('SubmitAlertResult', {
  types: [SubmitAlertSuccess, ValidationErrorRef, AlertTooLargeErrorRef, ShuttingDownErrorRef],
  resolveType: (result) => resultTypeName(result, 'SubmitAlertSuccess'),
});

const CancelSessionSuccess = builder.objectRef<SessionSnapshot>('CancelSessionSuccess').implement({
  fields: (t) => ({ session: t.field({ type: SessionRef, resolve: (session) => session }) }),
});

export const CancelSessionResult = builder.unionType('CancelSessionResult', {
  types: [CancelSessionSuccess, NotFoundErrorRef, ConflictErrorRef],
  resolveType: (result) => resultTypeName(result, 'CancelSessionSuccess'),
});

const SendChatMessageSuccess = builder
  .objectRef<{ chat: ChatRow; message: ChatUserMessageRow; stage: StageRow }>('SendChatMessageSuccess')
  .implement({
    fields: (t) => ({
      chat: t.field({ type: ChatRef, resolve: ({ chat }) => chat }),
      message: t.field({ type: ChatMessageRef, resolve: ({ message }) => message }),
      stage: t.field({ type: StageRef, resolve: ({ stage }) => stage }),
    }),
  });

export const SendChatMessageResult = builder.unionType('SendChatMessageResult', {
  types: [
    SendChatMessageSuccess,
    ValidationErrorRef,
    NotFoundErrorRef,
    ConflictErrorRef,
    ShuttingDownErrorRef,
  ],
  resolveType: (result) => resultTypeName(result, 'SendChatMessageSuccess'),
});
