import type { ChatRow, ChatUserMessageRow, StageRow } from '../../db/entities/index.ts';
import type { SessionSnapshot, SubmittedAlert } from '../../engine/engine.ts';
import { builder } from '../builder.ts';
import {
  AlertTooLargeErrorRef,
  ConflictErrorRef,
  ForbiddenErrorRef,
  NotFoundErrorRef,
  resultTypeName,
  ShuttingDownErrorRef,
  TooManyAlertsErrorRef,
  ValidationErrorRef,
} from './errors.ts';
import { AlertNotInvestigatedErrorRef } from './intake-results.ts';
import { ChatMessageRef, ChatRef, SessionRef, StageRef } from './refs.ts';

// Plain unions: Success comes first, and every member is named here.
const SubmitAlertSuccess = builder.objectRef<SubmittedAlert>('SubmitAlertSuccess').implement({
  description: 'The alert is stored and cannot be lost any more.',
  fields: (t) => ({
    session: t.field({
      type: SessionRef,
      description: 'Its investigation, which waits or runs.',
      resolve: (session) => session,
    }),
    notes: t.stringList({
      description: 'What was changed in the alert so that it could be taken, a sentence each; mostly empty.',
      resolve: ({ notes }) => [...notes],
    }),
  }),
});

export const SubmitAlertResult = builder.unionType('SubmitAlertResult', {
  description: 'What became of a submitted alert.',
  types: [
    SubmitAlertSuccess,
    ValidationErrorRef,
    AlertTooLargeErrorRef,
    ShuttingDownErrorRef,
    TooManyAlertsErrorRef,
    AlertNotInvestigatedErrorRef,
    ForbiddenErrorRef,
  ],
  resolveType: (result) => resultTypeName(result, 'SubmitAlertSuccess'),
});

const CancelSessionSuccess = builder.objectRef<SessionSnapshot>('CancelSessionSuccess').implement({
  description: 'The session was cancelled, or is being stopped.',
  fields: (t) => ({
    session: t.field({
      type: SessionRef,
      description:
        'The session as it is now: CANCELLED, or CANCELLING while its work is stopped; unchanged when an answer was cancelled.',
      resolve: (session) => session,
    }),
  }),
});

export const CancelSessionResult = builder.unionType('CancelSessionResult', {
  description: 'What became of a cancellation.',
  types: [CancelSessionSuccess, NotFoundErrorRef, ConflictErrorRef, ForbiddenErrorRef],
  resolveType: (result) => resultTypeName(result, 'CancelSessionSuccess'),
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
