import { builder } from '../../schema/builder.ts';
import { keyOf } from '../../schema/ids.ts';
import { SessionRef } from '../../schema/types/refs.ts';

builder.queryField('session', (t) =>
  t.field({
    type: SessionRef,
    nullable: true,
    description: 'One session; null when there is none with this id.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID.' }) },
    resolve: (_root, { id }, { loaders }) => {
      const key = keyOf('Session', id);
      return key === null ? null : loaders.session.load(key);
    },
  }),
);
