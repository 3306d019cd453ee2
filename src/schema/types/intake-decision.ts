import { builder } from '../builder.ts';
import { IntakeOutcomeEnum } from '../enums.ts';
import { connectionOf } from './connection.ts';
import { AlertGroupRef, AlertRef, IntakeDecisionRef, SessionRef, SilenceRef } from './refs.ts';

builder.node(IntakeDecisionRef, {
  description: 'What became of one alert of one delivery, and why.',
  id: { resolve: ({ id }) => id },
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When it was decided.' }),
    source: t.exposeString('source', { description: 'Name of the source.' }),
    outcome: t.expose('outcome', { type: IntakeOutcomeEnum, description: 'What was decided.' }),
    reason: t.exposeString('reason', {
      description: 'One sentence for people: what decided, with its figures.',
    }),
    rule: t.exposeString('rule', {
      nullable: true,
      description: 'Name of the rule of the configuration that decided, if one did.',
    }),
    count: t.exposeInt('count', {
      description: 'Of refused deliveries: how many, of this kind, within a minute; else 1.',
    }),
    alert: t.field({
      type: AlertRef,
      nullable: true,
      description: 'Null of a delivery that could not be read, and of what no delivery asked for.',
      resolve: ({ alertId }, _args, { loaders }) => (alertId ? loaders.alert.load(alertId) : null),
    }),
    group: t.field({
      type: AlertGroupRef,
      nullable: true,
      description: 'Null of a delivery that could not be read.',
      resolve: ({ groupId }, _args, { loaders }) => (groupId ? loaders.alertGroup.load(groupId) : null),
    }),
    session: t.field({
      type: SessionRef,
      nullable: true,
      description: 'The investigation that was made, or that stands for it; null when there is none.',
      resolve: ({ sessionId }, _args, { loaders }) => (sessionId ? loaders.session.load(sessionId) : null),
    }),
    silence: t.field({
      type: SilenceRef,
      nullable: true,
      description: 'The silence that covered it; null when none did.',
      resolve: ({ silenceId }, _args, { loaders }) => (silenceId ? loaders.silence.load(silenceId) : null),
    }),
  }),
});

export const IntakeDecisionConnection = connectionOf(
  'IntakeDecision',
  IntakeDecisionRef as never,
  'decisions',
);
