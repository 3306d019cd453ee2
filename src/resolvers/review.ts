import { NotFoundError } from '../common/errors.ts';
import { builder } from '../schema/builder.ts';
import { badUserInput } from '../schema/errors.ts';
import { keyOf } from '../schema/ids.ts';
import { declared } from '../schema/types/errors.ts';
import { ReviewSessionResult, ReviewSessionsInput } from '../schema/types/review.ts';
import { seen } from './mutation-support.ts';

const MAX_SESSIONS = 50;

builder.mutationField('reviewSessions', (t) =>
  t.field({
    type: [ReviewSessionResult],
    description: `Performs one action on the reviews of at most ${MAX_SESSIONS} sessions. Returns one result per session, in the order of the ids, or a single ForbiddenError if the viewer may not review.`,
    args: {
      input: t.arg({
        type: ReviewSessionsInput,
        required: true,
        description: 'The action and its sessions.',
      }),
    },
    resolve: async (_root, { input }, { engine, loaders, viewer }) => {
      const { sessionIds, action, rating = null, actionTaken = null, feedback = null } = input;
      if (sessionIds.length > MAX_SESSIONS)
        throw badUserInput(
          `At most ${MAX_SESSIONS} sessions in one request; ${sessionIds.length} were given. Send the others in another.`,
        );
      const keys = await Promise.all(sessionIds.map((id) => seen(keyOf('Session', id), loaders.session)));
      const change = { action, rating, actionTaken, feedback };
      const known = keys.filter((key) => key !== null);
      const results = (await engine.reviewSessions(known, change, viewer)).values();
      return keys.map((key) => {
        const result =
          key === null ? new NotFoundError('There is no session with this id.') : results.next().value!;
        return result instanceof Error ? declared(result) : result;
      });
    },
  }),
);
