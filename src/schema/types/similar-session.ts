import { builder } from '../builder.ts';
import type { SimilarSession } from '../memory-context.ts';
import { SessionRef } from './refs.ts';

export const SimilarSessionRef = builder.objectRef<SimilarSession>('SimilarSession').implement({
  description: 'A session that ended, and how like another it is.',
  fields: (t) => ({
    session: t.field({
      type: SessionRef,
      description: 'The session.',
      resolve: async ({ sessionId }, _args, { loaders }) => (await loaders.session.load(sessionId))!,
    }),
    similarity: t.exposeFloat('similarity', { description: '0 to 1.' }),
    reason: t.exposeString('reason', { description: 'What they have in common, for people.' }),
  }),
});
