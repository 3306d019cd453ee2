import type { ObjectFieldsShape } from '@pothos/core';
import type {
  CaughtUp,
  LoggedEvent,
  SessionSnapshot,
  SessionStreamItem,
  StreamChunk,
} from '../../engine/api/engine.ts';
import { builder, type Types } from '../builder.ts';
import type { Context } from '../context.ts';
import { badUserInput, notFound } from '../errors.ts';
import { decodeEventCursor, encodeEventCursor, encodeGlobalId, keyOf } from '../ids.ts';
import { withPresence } from '../presence.ts';
import { StreamSource, seenBy } from '../stream-source.ts';
import { wrapperOf } from './errors.ts';
import { ChatMessageRef, ChatRef, ExecutionRef, SessionRef, StageRef, TimelineEventRef } from './refs.ts';

type Logged<Type extends LoggedEvent['type']> = Extract<LoggedEvent, { type: Type }>;

const SessionEvent = builder.interfaceRef<SessionStreamItem>('SessionEvent').implement({
  description: 'Something that happened in a session.',
  resolveType: (item) => {
    if (item.kind === 'event') return item.type;
    return item.kind === 'chunk' ? 'StreamChunk' : 'CaughtUp';
  },
  fields: (t) => ({
    sessionId: t.id({
      description: 'The id of the session, as its field `id` gives it.',
      resolve: ({ sessionId }) => encodeGlobalId('Session', sessionId),
    }),
    cursor: t.string({
      nullable: true,
      description: 'Cursor from which to resume after an interruption (`after`); null only on StreamChunk.',
      resolve: (item) => (item.kind === 'chunk' ? null : encodeEventCursor(item.seq)),
    }),
    at: t.expose('at', { type: 'DateTime', description: 'Time of the event.' }),
  }),
});

/** Defines the GraphQL type of one kind of session event. */
function eventType<Event extends SessionStreamItem>(
  name: string,
  description: string,
  fields: ObjectFieldsShape<Types, Event> = () => ({}),
) {
  const options = { description, interfaces: [SessionEvent as never], fields };
  builder.objectRef<Event>(name).implement(options);
}

eventType<Logged<'SessionStatusChanged'>>(
  'SessionStatusChanged',
  'The status of the session changed.',
  (t) => ({ session: t.expose('row', { type: SessionRef, description: 'The session at that time.' }) }),
);
eventType<Logged<'StageStatusChanged'>>(
  'StageStatusChanged',
  'A stage started or its status changed.',
  (t) => ({ stage: t.expose('row', { type: StageRef, description: 'The stage at that time.' }) }),
);
eventType<Logged<'ExecutionStatusChanged'>>(
  'ExecutionStatusChanged',
  'An agent started or its status changed.',
  (t) => ({ execution: t.expose('row', { type: ExecutionRef, description: 'The execution at that time.' }) }),
);
for (const [name, description] of [
  ['TimelineEventCreated', 'A timeline event was created. While it is STREAMING, StreamChunk adds to it.'],
  ['TimelineEventCompleted', 'A timeline event is final; its content is complete.'],
] as const)
  eventType<Logged<typeof name>>(name, description, (t) => ({
    timelineEvent: t.expose('row', {
      type: TimelineEventRef,
      description: 'The timeline event at that time.',
    }),
  }));
eventType<Logged<'ChatCreated'>>('ChatCreated', 'The first question about the session was asked.', (t) => ({
  chat: t.expose('row', { type: ChatRef, description: 'The new chat.' }),
}));
eventType<Logged<'ChatMessageAdded'>>('ChatMessageAdded', 'A question was asked.', (t) => ({
  message: t.expose('row', { type: ChatMessageRef, description: 'The question.' }),
}));
eventType<CaughtUp>('CaughtUp', 'The replay is complete; later events are live.');
eventType<StreamChunk>(
  'StreamChunk',
  'A piece of the text of a streaming timeline event. The pieces of one event, placed at their offsets, form its content.',
  (t) => ({
    timelineEventId: t.id({
      description: 'The id of the timeline event, as its field `id` gives it.',
      resolve: ({ timelineEventId }) => encodeGlobalId('TimelineEvent', timelineEventId),
    }),
    offset: t.exposeInt('offset', {
      description: 'Offset from the start of the text, in UTF-16 code units.',
    }),
    delta: t.exposeString('delta', { description: 'The piece of text.' }),
  }),
);

const SessionsChanged = wrapperOf<SessionSnapshot>(
  'SessionsChanged',
  'A session was created, or its status or current stage changed.',
  {
    session: { type: SessionRef, description: 'The current session.' },
  },
);

builder.subscriptionField('sessionEvents', (t) =>
  t.field({
    type: SessionEvent,
    description:
      'Replays all stored events of a session, then sends CaughtUp and live events, without gaps, duplicates or reordering across reconnects.',
    args: {
      sessionId: t.arg.id({ required: true, description: 'Global id or UUID.' }),
      after: t.arg.string({
        description:
          'Cursor after which the replay starts: of an event, or Session.eventCursor. Null or empty for the first event.',
      }),
    },
    subscribe: async (_root, { sessionId, after }, context) => {
      const key = keyOf('Session', sessionId);
      // The header Last-Event-ID wins, because a reconnecting browser repeats its first query with an outdated `after`.
      const seq = await startOf(key, context.lastEventId ?? (after || null), context);
      const enter = () => context.presence.enter(key!, context.viewer);
      return new StreamSource(withPresence(context.engine.subscribeSession(key!, seq), enter));
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
