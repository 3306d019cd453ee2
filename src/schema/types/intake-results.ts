import type { SessionSnapshot } from '../../engine/engine.ts';
import type { AlertNotInvestigatedError } from '../../intake/errors.ts';
import { builder } from '../builder.ts';
import {
  ConflictErrorRef,
  type Declared,
  ErrorInterface,
  ForbiddenErrorRef,
  NotFoundErrorRef,
  resultTypeName,
  ShuttingDownErrorRef,
  TooManyAlertsErrorRef,
} from './errors.ts';
import { IntakeDecisionRef } from './intake-refs.ts';
import { SessionRef } from './refs.ts';

export const AlertNotInvestigatedErrorRef = builder
  .objectRef<Declared<AlertNotInvestigatedError>>('AlertNotInvestigatedError')
  .implement({
    description:
      'The alert was taken, and it was decided not to investigate it now; code ALERT_NOT_INVESTIGATED.',
    interfaces: [ErrorInterface],
    fields: (t) => ({
      decision: t.field({
        type: IntakeDecisionRef,
        description: 'What was decided, and why.',
        resolve: ({ declared }) => declared.decision,
      }),
    }),
  });

const InvestigateAlertGroupSuccess = builder
  .objectRef<SessionSnapshot>('InvestigateAlertGroupSuccess')
  .implement({
    description: 'The group is investigated.',
    fields: (t) => ({
      session: t.field({
        type: SessionRef,
        description: 'Its investigation: a new one, or the one that waits or runs already.',
        resolve: (session) => session,
      }),
    }),
  });

export const InvestigateAlertGroupResult = builder.unionType('InvestigateAlertGroupResult', {
  description: 'What became of a wish to investigate a group.',
  types: [
    InvestigateAlertGroupSuccess,
    NotFoundErrorRef,
    ConflictErrorRef,
    ShuttingDownErrorRef,
    TooManyAlertsErrorRef,
    ForbiddenErrorRef,
  ],
  resolveType: (result) => resultTypeName(result, 'InvestigateAlertGroupSuccess'),
});
