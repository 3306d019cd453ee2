import type { SilenceRow } from '../../db/entities/index.ts';
import { builder } from '../builder.ts';
import { connectionOf } from './connection.ts';
import { mutationResult, wrapperOf } from './errors.ts';
import { SilenceRef } from './refs.ts';

builder.node(SilenceRef, {
  description: 'Between startsAt and endsAt, matching alerts are stored but not investigated.',
  id: { resolve: ({ id }) => id },
  fields: (t) => ({
    matchers: t.stringList({
      description:
        'Matchers in Alertmanager syntax: `name="value"`, `name!="v"`, `name=~"re"`, `name!~"re"`. All must match.',
      resolve: ({ matchers }) => matchers,
    }),
    teams: t.stringList({
      nullable: true,
      description:
        'Teams whose alerts it covers, besides alerts of no team: those that its author could see. Null for every team.',
      resolve: ({ teams }) => teams ?? null,
    }),
    comment: t.exposeString('comment', { description: 'Reason in the author’s words.' }),
    createdBy: t.exposeString('createdBy', { description: 'User or token that created it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
    startsAt: t.expose('startsAt', { type: 'DateTime', description: 'Start time.' }),
    endsAt: t.expose('endsAt', { type: 'DateTime', description: 'End time.' }),
    endedBy: t.exposeString('endedBy', {
      nullable: true,
      description: 'User or token that ended it early; null if it was not ended early.',
    }),
    matchedCount: t.expose('matchedCount', {
      type: 'Long',
      description: 'Number of deliveries of alerts that it kept from being investigated.',
    }),
  }),
});

export const SilenceConnection = connectionOf('Silence', SilenceRef as never, 'silences');

const CreateSilenceSuccess = wrapperOf<SilenceRow>(
  'CreateSilenceSuccess',
  'The silence is active or scheduled.',
  {
    silence: { type: SilenceRef, description: 'The new silence.' },
  },
);
export const CreateSilenceResult = mutationResult('CreateSilence', CreateSilenceSuccess, ['ValidationError']);

const EndSilenceSuccess = wrapperOf<SilenceRow>(
  'EndSilenceSuccess',
  'The silence has ended. Alerts that still fire are decided on within seconds.',
  {
    silence: { type: SilenceRef, description: 'The ended silence.' },
  },
);
export const EndSilenceResult = mutationResult('EndSilence', EndSilenceSuccess, [
  'NotFoundError',
  'ConflictError',
]);

export const CreateSilenceInput = builder.inputType('CreateSilenceInput', {
  description: 'Selects alerts that are not investigated for some time.',
  fields: (t) => ({
    matchers: t.stringList({
      required: true,
      description:
        'Matchers as in Alertmanager, such as `namespace="pay"` or `host=~"db-.*"`. All must match. 1–20.',
    }),
    comment: t.string({ required: true, description: 'Reason, for people; up to 1,000 characters.' }),
    startsAt: t.field({ type: 'DateTime', description: 'Start time. Default: now.' }),
    endsAt: t.field({ type: 'DateTime', required: true, description: 'End time.' }),
  }),
});
