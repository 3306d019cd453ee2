import { ConflictError, NotFoundError, ValidationError } from '../common/errors.ts';
import { builder } from '../schema/builder.ts';
import { queryCost } from '../schema/query-cost.ts';
import { firstPageArgs } from '../schema/types/connection.ts';
import { orDeclared } from '../schema/types/errors.ts';
import {
  CreateSilenceInput,
  CreateSilenceResult,
  EndSilenceResult,
  SilenceConnection,
} from '../schema/types/silence.ts';
import { changeVisible, requireIntake } from './mutation-support.ts';

const END_DECLARED = [NotFoundError, ConflictError];

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
    type: CreateSilenceResult,
    description: 'Stops the investigation of matching alerts for some time.',
    args: { input: t.arg({ type: CreateSilenceInput, required: true, description: 'The silence.' }) },
    resolve: (_root, { input }, context) => {
      const { matchers, comment, startsAt, endsAt } = input;
      const { teams } = context.viewer;
      const silence = { matchers, comment, startsAt: startsAt ?? null, endsAt, teams };
      return orDeclared(requireIntake(context).createSilence(silence, context.viewer), [ValidationError]);
    },
  }),
);

builder.mutationField('endSilence', (t) =>
  t.field({
    type: EndSilenceResult,
    description: 'Ends a silence now. Groups that are still firing are decided on within seconds.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID of the silence.' }) },
    resolve: (_root, { id }, context) =>
      changeVisible({ type: 'Silence', id, loader: context.loaders.silence }, END_DECLARED, (key) =>
        requireIntake(context).endSilence(key, context.viewer),
      ),
  }),
);
