import { builder } from '../schema/builder.ts';
import type { Context } from '../schema/context.ts';
import { decodeEventCursor } from '../schema/cursors.ts';
import { badUserInput, notFound } from '../schema/errors.ts';
import { keyOf } from '../schema/ids.ts';
import { SessionEvent, SessionsChanged } from '../schema/types/session-event.ts';
import { StreamSource, seenBy } from './stream-source.ts';

builder.subscriptionField('sessionEvents', (t) =>
  t.field({
    type: SessionEvent,
    description:
      'Replays all stored events of a session, then sends CaughtUp and live events, without gaps, duplicates or reordering across reconnects.',
    args: {
      sessionId: t.arg.id({ required: true, description: 'Global id or UUID.' }),
      after: t.arg.string({
        description:
          'Cursor after which the replay starts: of an event, or Session.eventCursor. Null for the first event.',
      }),
    },
    subscribe: async (_root, { sessionId, after }, context) => {
      const key = keyOf('Session', sessionId);
      // A reconnecting browser repeats its first query; its real position is in the header.
      const seq = await startOf(key, context.lastEventId ?? after ?? null, context);
      return new StreamSource(context.engine.subscribeSession(key!, seq));
    },
    resolve: (item) => item,
  }),
);

builder.subscriptionField('sessionsChanged', (t) =>
  t.field({
    type: SessionsChanged,
    description:
      'Reports each session that is created or whose status or current stage changes, from now on.',
    subscribe: (_root, _args, { engine, viewer }) =>
      new StreamSource(seenBy(viewer, engine.subscribeSessions())),
    resolve: (session) => session,
  }),
);

async function startOf(key: string | null, after: string | null, { reads }: Context): Promise<number> {
  const last = key === null ? null : await reads.lastEventSeq(key);
  if (last === null) throw notFound('There is no session with this id.');
  const seq = after === null ? 0 : decodeEventCursor(after);
  if (seq > last) throw badUserInput('The cursor given as `after` is of another session, or of none.');
  return seq;
}
