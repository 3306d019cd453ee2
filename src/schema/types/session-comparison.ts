import { builder, objectType } from '../builder.ts';
import { type ComparedClaimView, compareClaims } from '../compare-claims.ts';
import type { Context } from '../context.ts';
import { badUserInput, notFound } from '../errors.ts';
import { keyOf } from '../ids.ts';
import { queryCost } from '../query-cost.ts';
import { claimViews } from '../views.ts';
import { SessionRef } from './refs.ts';
import { ClaimRef } from './report.ts';

/** Number of sessions that one comparison may have. */
const MIN_COMPARED = 2;
const MAX_COMPARED = 4;

type Session = typeof SessionRef.$inferType;

const ComparedClaim = objectType<ComparedClaimView>(
  'ComparedClaim',
  'Claims of compared sessions about the same: with the same facts, or the same text.',
  (t) => ({
    text: t.exposeString('text', { description: 'Text of the first of these claims.' }),
    claims: t.field({
      type: [ClaimRef],
      nullable: { list: false, items: true },
      description: 'The claim of each session, in the order of the ids; null where it has none.',
      resolve: ({ claims }) => [...claims],
    }),
  }),
);

const SessionComparison = objectType<readonly Session[]>(
  'SessionComparison',
  'Sessions side by side.',
  (t) => ({
    sessions: t.field({
      type: [SessionRef],
      description: 'The sessions, in the order of the ids.',
      resolve: (sessions) => [...sessions],
    }),
    claims: t.field({
      type: [ComparedClaim],
      extensions: queryCost({ own: 20 }),
      description: 'Claims of their reports, matched with each other.',
      resolve: async (sessions, _args, { loaders }) =>
        compareClaims(
          await Promise.all(
            sessions.map(async ({ id }) =>
              claimViews((await loaders.claimsOfReport.load(id))?.claims ?? [], { sessionId: id, owner: id }),
            ),
          ),
        ),
    }),
  }),
);

builder.queryField('compareSessions', (t) =>
  t.field({
    type: SessionComparison,
    extensions: queryCost({ own: 10 }),
    description: `Compares ${MIN_COMPARED} to ${MAX_COMPARED} sessions. An unknown session is an error with the code NOT_FOUND.`,
    args: { ids: t.arg.idList({ required: true, description: 'Global ids or UUIDs of the sessions.' }) },
    resolve: (_root, { ids }, context) => comparedSessions(ids, context),
  }),
);

async function comparedSessions(ids: readonly string[], { loaders }: Context): Promise<Session[]> {
  const keys = ids.map((id) => keyOf('Session', id));
  if (keys.length < MIN_COMPARED || keys.length > MAX_COMPARED || new Set(keys).size < keys.length)
    throw badUserInput(`Name ${MIN_COMPARED} to ${MAX_COMPARED} different sessions.`);
  return Promise.all(
    keys.map(async (key) => {
      const session = key === null ? null : await loaders.session.load(key);
      if (session === null) throw notFound('There is no session with one of these ids.');
      return session;
    }),
  );
}
