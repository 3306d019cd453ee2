import { ConflictError, ForbiddenError, NotFoundError } from '../common/errors.ts';
import { builder } from '../schema/builder.ts';
import { keyOf } from '../schema/ids.ts';
import { SessionRef } from '../schema/types/refs.ts';
import { CancelSessionResult } from '../schema/types/session.ts';
import { changeVisible } from './mutation-support.ts';

const DECLARED = [NotFoundError, ConflictError, ForbiddenError];

builder.queryField('session', (t) =>
  t.field({
    type: SessionRef,
    nullable: true,
    description: 'One session; null if there is none with this id.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID.' }) },
    resolve: (_root, { id }, { loaders }) => {
      const key = keyOf('Session', id);
      return key === null ? null : loaders.session.load(key);
    },
  }),
);

builder.mutationField('cancelSession', (t) =>
  t.field({
    type: CancelSessionResult,
    description:
      'Cancels a waiting or running session. For a session that has ended: cancels the running chat answer, or else the running score.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID of the session.' }) },
    resolve: (_root, { id }, { engine, loaders, viewer }) =>
      changeVisible({ type: 'Session', id, loader: loaders.session }, DECLARED, (key) =>
        engine.cancelSession(key, viewer, { answerOnly: !viewer.rights.has('REVIEW') }),
      ),
  }),
);
