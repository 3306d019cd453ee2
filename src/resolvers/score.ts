import { ConflictError, NotFoundError, ShuttingDownError } from '../common/errors.ts';
import { builder } from '../schema/builder.ts';
import { ScoreSessionResult } from '../schema/types/score.ts';
import { changeVisible } from './mutation-support.ts';

const DECLARED = [NotFoundError, ConflictError, ShuttingDownError];

builder.mutationField('scoreSession', (t) =>
  t.field({
    type: ScoreSessionResult,
    description:
      'Requests a score of an investigation that has ended, even if scoring is not automatic. Earlier scores stay.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID of the session.' }) },
    resolve: (_root, { id }, { engine, loaders, viewer }) =>
      changeVisible({ type: 'Session', id, loader: loaders.session }, DECLARED, (key) =>
        engine.scoreSession(key, viewer),
      ),
  }),
);
