import type {
  CaughtUp,
  LoggedEvent,
  SessionSnapshot,
  SessionStreamItem,
  StreamChunk,
} from '../../engine/api/engine.ts';
import { builder } from '../builder.ts';
import { encodeEventCursor } from '../cursors.ts';
import { encodeGlobalId } from '../ids.ts';
import { wrapperOf } from './errors.ts';
import { ChatMessageRef, ChatRef, ExecutionRef, SessionRef, StageRef, TimelineEventRef } from './refs.ts';

type Logged<Type extends LoggedEvent['type']> = Extract<LoggedEvent, { type: Type }>;

export const SessionEvent = builder.interfaceRef<SessionStreamItem>('SessionEvent').implement({
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

const interfaces = [SessionEvent];

builder.objectRef<Logged<'SessionStatusChanged'>>('SessionStatusChanged').implement({
  description: 'The status of the session changed.',
  interfaces,
  fields: (t) => ({
    session: t.expose('row', { type: SessionRef, description: 'The session at that time.' }),
  }),
});
builder.objectRef<Logged<'StageStatusChanged'>>('StageStatusChanged').implement({
  description: 'A stage started or its status changed.',
  interfaces,
  fields: (t) => ({ stage: t.expose('row', { type: StageRef, description: 'The stage at that time.' }) }),
});
builder.objectRef<Logged<'ExecutionStatusChanged'>>('ExecutionStatusChanged').implement({
  description: 'An agent started or its status changed.',
  interfaces,
  fields: (t) => ({
    execution: t.expose('row', { type: ExecutionRef, description: 'The execution at that time.' }),
  }),
});
type TimelineLogged = Logged<'TimelineEventCreated' | 'TimelineEventCompleted'>;
const TIMELINE_EVENTS = {
  TimelineEventCreated: 'A timeline event was created. While it is STREAMING, StreamChunk adds to it.',
  TimelineEventCompleted: 'A timeline event is final; its content is complete.',
} as const;
for (const [name, description] of Object.entries(TIMELINE_EVENTS)) {
  builder.objectRef<TimelineLogged>(name).implement({
    description,
    interfaces,
    fields: (t) => ({
      timelineEvent: t.expose('row', {
        type: TimelineEventRef,
        description: 'The timeline event at that time.',
      }),
    }),
  });
}
builder.objectRef<Logged<'ChatCreated'>>('ChatCreated').implement({
  description: 'The first question about the session was asked.',
  interfaces,
  fields: (t) => ({ chat: t.expose('row', { type: ChatRef, description: 'The new chat.' }) }),
});
builder.objectRef<Logged<'ChatMessageAdded'>>('ChatMessageAdded').implement({
  description: 'A question was asked.',
  interfaces,
  fields: (t) => ({ message: t.expose('row', { type: ChatMessageRef, description: 'The question.' }) }),
});
builder.objectRef<CaughtUp>('CaughtUp').implement({
  description: 'The replay is complete; later events are live.',
  interfaces,
});
builder.objectRef<StreamChunk>('StreamChunk').implement({
  description:
    'A piece of the text of a streaming timeline event. The pieces of one event, placed at their offsets, form its content.',
  interfaces,
  fields: (t) => ({
    timelineEventId: t.id({
      description: 'The id of the timeline event, as its field `id` gives it.',
      resolve: ({ timelineEventId }) => encodeGlobalId('TimelineEvent', timelineEventId),
    }),
    offset: t.exposeInt('offset', {
      description: 'Offset from the start of the text, in UTF-16 code units.',
    }),
    delta: t.exposeString('delta', { description: 'The piece of text.' }),
  }),
});

export const SessionsChanged = wrapperOf<SessionSnapshot>(
  'SessionsChanged',
  'A session was created, or its status or current stage changed.',
  {
    session: { type: SessionRef, description: 'The current session.' },
  },
);
