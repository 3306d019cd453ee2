import { ConflictError, NotFoundError, ValidationError } from '../../common/errors.ts';
import { SilenceExistsError } from '../../intake/errors.ts';
import type { SilencePreview as SilenceCoverPreview } from '../../intake/silence-coverage.ts';
import { builder, nodeType, objectType } from '../builder.ts';
import { badUserInput } from '../errors.ts';
import { queryCost } from '../query-cost.ts';
import { changeVisible, requireIntake, silenceCoverageOf } from '../root-fields.ts';
import { connectionOf, firstPageArgs } from './connection.ts';
import { errorType, mutationResult, orDeclared } from './errors.ts';
import { AlertGroupRef, SilenceRef } from './refs.ts';

/** Maximum number of firing alerts that a preview checks, and of groups that it shows. */
const MAX_PREVIEWED = 5_000;
const PREVIEWED_GROUPS = 10;

type Previewed = SilenceCoverPreview & { isComplete: boolean };

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

errorType(
  SilenceExistsError,
  'A silence with the same matchers and teams holds at some time of the new one; code SILENCE_EXISTS.',
  (t) => ({
    silence: t.field({
      type: SilenceRef,
      description: 'The silence that holds.',
      resolve: ({ declared }) => declared.silence,
    }),
  }),
);

const SilencePreview = objectType<Previewed>(
  'SilencePreview',
  'Firing alerts that a silence with these matchers would cover now.',
  (t) => ({
    alertCount: t.exposeInt('alertCount', { description: 'Number of firing alerts that it covers.' }),
    groupCount: t.int({
      description: 'Number of groups with such an alert.',
      resolve: ({ groups }) => groups.length,
    }),
    silencedGroupCount: t.int({
      description: 'Number of groups whose firing alerts it covers all, so that they are not investigated.',
      resolve: ({ groups }) => groups.filter(({ isWhole }) => isWhole).length,
    }),
    groups: t.field({
      type: [AlertGroupRef],
      description: 'The worst of these groups, at most 10.',
      resolve: async ({ groups }, _args, { loaders }) => {
        const shown = groups.slice(0, PREVIEWED_GROUPS);
        const found = await Promise.all(shown.map(({ id }) => loaders.alertGroup.load(id)));
        return found.filter((group) => group !== null);
      },
    }),
    isComplete: t.exposeBoolean('isComplete', {
      description: 'True unless more than 5,000 alerts fire; then only the worst groups were examined.',
    }),
  }),
);

const CreateSilence = mutationResult('CreateSilence', [ValidationError, SilenceExistsError], {
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

builder.queryField('silencePreview', (t) =>
  t.field({
    type: SilencePreview,
    extensions: queryCost({ own: 50 }),
    description:
      'Shows what a silence would cover now. Wrong matchers are an error with the code BAD_USER_INPUT.',
    args: {
      matchers: t.arg.stringList({ required: true, description: 'As in `CreateSilenceInput`.' }),
    },
    resolve: async (_root, { matchers }, context): Promise<Previewed> => {
      const alerts = await context.reads.firingAlerts(MAX_PREVIEWED + 1);
      try {
        const preview = silenceCoverageOf(context).preview(matchers, alerts.slice(0, MAX_PREVIEWED));
        return { ...preview, isComplete: alerts.length <= MAX_PREVIEWED };
      } catch (error) {
        if (error instanceof ValidationError) throw badUserInput(error.message);
        throw error;
      }
    },
  }),
);

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
