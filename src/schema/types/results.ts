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
import { SessionRef } from './refs.ts';

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
