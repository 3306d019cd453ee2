import { ConflictError, NotFoundError, ValidationError } from '../../common/errors.ts';
import { builder, nodeType } from '../builder.ts';
import { queryCost } from '../query-cost.ts';
import { changeVisible, requireIntake } from '../root-fields.ts';
import { connectionOf, firstPageArgs } from './connection.ts';
import { mutationResult, orDeclared } from './errors.ts';
import { SilenceRef } from './refs.ts';

nodeType(
  SilenceRef,
  'Between startsAt and endsAt, matching alerts are stored but not investigated.',
  (t) => ({
    matchers: t.exposeStringList('matchers', {
      description:
        'Matchers in Alertmanager syntax: `name="value"`, `name!="v"`, `name=~"re"`, `name!~"re"`. All must match.',
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
);

const SilenceConnection = connectionOf('Silence', SilenceRef as never, 'silences');

const CreateSilence = mutationResult('CreateSilence', [ValidationError], {
  description: 'The silence is active or scheduled.',
  field: { silence: { type: SilenceRef, description: 'The new silence.' } },
});

const EndSilence = mutationResult('EndSilence', [NotFoundError, ConflictError], {
  description: 'The silence has ended. Alerts that still fire are decided on within seconds.',
  field: { silence: { type: SilenceRef, description: 'The ended silence.' } },
});

const CreateSilenceInput = builder.inputType('CreateSilenceInput', {
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

builder.queryField('silences', (t) =>
  t.field({
    type: SilenceConnection,
    extensions: queryCost({ own: 10 }),
    description: 'Active and scheduled silences, newest first.',
    args: {
      ...firstPageArgs(t.arg),
      includeEnded: t.arg.boolean({ description: 'True to include ended silences. Default: false.' }),
    },
    resolve: (_root, args, { reads }) => reads.silences(args),
  }),
);

builder.mutationField('createSilence', (t) =>
  t.field({
    type: CreateSilence.type,
    description: 'Stops the investigation of matching alerts for some time.',
    args: { input: t.arg({ type: CreateSilenceInput, required: true, description: 'The silence.' }) },
    resolve: (_root, { input }, context) => {
      const { matchers, comment, startsAt, endsAt } = input;
      const { teams } = context.viewer;
      const silence = { matchers, comment, startsAt: startsAt ?? null, endsAt, teams };
      return orDeclared(requireIntake(context).createSilence(silence, context.viewer), CreateSilence);
    },
  }),
);

builder.mutationField('endSilence', (t) =>
  t.field({
    type: EndSilence.type,
    description: 'Ends a silence now. Groups that are still firing are decided on within seconds.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID of the silence.' }) },
    resolve: (_root, { id }, context) =>
      changeVisible({ result: EndSilence, type: 'Silence', id, context }, (key) =>
        requireIntake(context).endSilence(key, context.viewer),
      ),
  }),
);
