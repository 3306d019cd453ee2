import { nodeType } from '../builder.ts';
import { enums } from '../enums.ts';
import { connectionOf } from './connection.ts';
import { AlertGroupRef, AlertRef, IntakeDecisionRef, SessionRef, SilenceRef } from './refs.ts';

/** Removes the silence's comment, which versions up to 0.1 stored in the reason, because the silence may be invisible. */
const withoutComment = (reason: string) => reason.replace(/:.*$/s, '.');

nodeType(IntakeDecisionRef, 'Decision about one alert of one delivery.', (t) => ({
  at: t.expose('at', { type: 'DateTime', description: 'Time of the decision.' }),
  source: t.exposeString('source', { description: 'Name of the source.' }),
  outcome: t.expose('outcome', { type: enums.IntakeOutcome, description: 'The decision.' }),
  reason: t.string({
    description: 'Reason in one sentence for people, with figures.',
    resolve: ({ outcome, reason }) => (outcome === 'SILENCED' ? withoutComment(reason) : reason),
  }),
  rule: t.exposeString('rule', {
    nullable: true,
    description: 'Name of the configured rule that decided; null if none did.',
  }),
  count: t.exposeInt('count', {
    description: 'Number of refused deliveries of this kind within a minute; 1 for other decisions.',
  }),
  alert: t.field({
    type: AlertRef,
    nullable: true,
    description: 'The alert; null if the delivery was unreadable or the decision follows no delivery.',
    resolve: ({ alertId }, _args, { loaders }) => (alertId ? loaders.alert.load(alertId) : null),
  }),
  group: t.field({
    type: AlertGroupRef,
    nullable: true,
    description: 'The group; null if the delivery was unreadable.',
    resolve: ({ groupId }, _args, { loaders }) => (groupId ? loaders.alertGroup.load(groupId) : null),
  }),
  session: t.field({
    type: SessionRef,
    nullable: true,
    description: 'Investigation that was created or already covers the alert; null if there is none.',
    resolve: ({ sessionId }, _args, { loaders }) => (sessionId ? loaders.session.load(sessionId) : null),
  }),
  silence: t.field({
    type: SilenceRef,
    nullable: true,
    description: 'Silence that covers the alert; null if there is none.',
    resolve: ({ silenceId }, _args, { loaders }) => (silenceId ? loaders.silence.load(silenceId) : null),
  }),
}));

export const IntakeDecisionConnection = connectionOf(
  'IntakeDecision',
  IntakeDecisionRef as never,
  'decisions',
);
