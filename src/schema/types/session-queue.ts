import { ConflictError, NotFoundError, ValidationError } from '../../common/errors.ts';
import type { CancelRefusal, SessionSnapshot } from '../../engine/api/engine.ts';
import { builder, objectType } from '../builder.ts';
import { badUserInput } from '../errors.ts';
import { queryCost } from '../query-cost.ts';
import { changeVisible, seen } from '../root-fields.ts';
import { mutationResult, orDeclared } from './errors.ts';
import { SessionRef } from './refs.ts';

/** Largest number of sessions cancelled by one request. */
const MAX_SESSIONS = 100;

const REASON = 'Reason, shown with the session; at most 1,000 characters.';

const CancelSession = mutationResult('CancelSession', [NotFoundError, ConflictError, ValidationError], {
  description: 'The session was cancelled, or is being stopped.',
  field: {
    session: {
      type: SessionRef,
      description:
        'The session: CANCELLED, or CANCELLING while work is being stopped. Unchanged if only an answer was cancelled.',
    },
  },
});

builder.mutationField('cancelSession', (t) =>
  t.field({
    type: CancelSession.type,
    description:
      'Cancels a waiting or running session. For a session that has ended: cancels the running chat answer, or else the running score.',
    args: {
      id: t.arg.id({ required: true, description: 'Global id or UUID of the session.' }),
      reason: t.arg.string({ description: REASON }),
    },
    resolve: (_root, { id, reason = null }, context) =>
      changeVisible({ result: CancelSession, type: 'Session', id, context }, (key) =>
        context.engine.cancelSession(key, context.viewer, {
          only: context.viewer.rights.has('REVIEW') ? null : 'ANSWER',
          reason,
        }),
      ),
  }),
);

interface Refused {
  id: string;
  error: CancelRefusal;
}

const RefusedSession = objectType<Refused>('RefusedSession', 'A session that was not cancelled.', (t) => ({
  id: t.exposeID('id', { description: 'The id as it was given.' }),
  code: t.string({ description: 'NOT_FOUND or CONFLICT.', resolve: ({ error }) => error.code }),
  message: t.string({
    description: 'Problem and remedy, for people.',
    resolve: ({ error }) => error.message,
  }),
}));

interface CancelledSessions {
  sessions: readonly SessionSnapshot[];
  refused: readonly Refused[];
}

const CancelSessions = mutationResult(
  'CancelSessions',
  [ValidationError],
  objectType<CancelledSessions>('CancelSessionsSuccess', 'Sessions were cancelled.', (t) => ({
    sessions: t.field({
      type: [SessionRef],
      extensions: queryCost({ rows: MAX_SESSIONS }),
      description: 'The sessions that are cancelled or being stopped, in the order of the ids.',
      resolve: ({ sessions }) => [...sessions],
    }),
    refused: t.field({
      type: [RefusedSession],
      description: 'The other sessions, such as those that have ended.',
      resolve: ({ refused }) => [...refused],
    }),
  })),
);

const CancelSessionsInput = builder.inputType('CancelSessionsInput', {
  description: 'Sessions to cancel.',
  fields: (t) => ({
    ids: t.idList({ required: true, description: `Global ids or UUIDs; at most ${MAX_SESSIONS}.` }),
    reason: t.string({ description: REASON }),
  }),
});

builder.mutationField('cancelSessions', (t) =>
  t.field({
    type: CancelSessions.type,
    description: `Cancels at most ${MAX_SESSIONS} waiting or running sessions. Leaves those that have ended unchanged.`,
    args: {
      input: t.arg({
        type: CancelSessionsInput,
        required: true,
        description: 'Sessions to cancel, and the reason.',
      }),
    },
    resolve: async (_root, { input: { ids, reason = null } }, context) => {
      if (ids.length > MAX_SESSIONS)
        throw badUserInput(
          `At most ${MAX_SESSIONS} sessions in one request; ${ids.length} were given. Send the others in another.`,
        );
      const keys = await Promise.all(ids.map((id) => seen('Session', id, context)));
      const known = [...new Set(keys.filter((key) => key !== null))];
      const cancelled = context.engine.cancelSessions(known, context.viewer, reason);
      const results = await orDeclared(cancelled, CancelSessions);
      if ('declared' in results) return results;
      const byKey = new Map(known.map((key, n) => [key, results[n]!]));
      const outcomes = ids.map((id, n) => {
        const key = keys[n] ?? null;
        return { id, result: key === null ? NOT_FOUND : byKey.get(key)! };
      });
      return {
        sessions: outcomes.flatMap(({ result }) => (result instanceof Error ? [] : [result])),
        refused: outcomes.flatMap(({ id, result }) =>
          result instanceof Error ? [{ id: String(id), error: result }] : [],
        ),
      };
    },
  }),
);

const NOT_FOUND = new NotFoundError('There is no session with this id.');

const RunSessionNow = mutationResult('RunSessionNow', [NotFoundError, ConflictError], {
  description: 'The session is first in the queue.',
  field: { session: { type: SessionRef, description: 'The session; it begins with the next free slot.' } },
});

builder.mutationField('runSessionNow', (t) =>
  t.field({
    type: RunSessionNow.type,
    description:
      'Moves a waiting session to the front of the queue, past its budgets and the wait for more alerts of its group.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID of the session.' }) },
    resolve: (_root, { id }, context) =>
      changeVisible({ result: RunSessionNow, type: 'Session', id, context }, (key) =>
        context.engine.runSessionNow(key, context.viewer),
      ),
  }),
);
