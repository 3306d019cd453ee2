import { ConflictError, NotFoundError, ShuttingDownError } from '../common/errors.ts';
import { builder } from '../schema/builder.ts';
import { keyOf } from '../schema/ids.ts';
import { orDeclared } from '../schema/types/errors.ts';
import { ScoreSessionResult } from '../schema/types/score.ts';
import { seen } from './mutation-support.ts';

builder.mutationField('scoreSession', (t) =>
  t.field({
    type: ScoreSessionResult,
    description:
      'Requests a score of an investigation that has ended, even if scoring is not automatic. Earlier scores stay.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID of the session.' }) },
    resolve: async (_root, { id }, { engine, loaders, viewer }) => {
      const key = await seen(keyOf('Session', id), loaders.session);
      if (key === null) return { declared: new NotFoundError('There is no session with this id.') };
      return orDeclared(engine.scoreSession(key, viewer), [NotFoundError, ConflictError, ShuttingDownError]);
    },
  }),
);
