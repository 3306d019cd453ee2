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
      description: 'Where to go on from after a break (`after`); null on StreamChunk only.',
      resolve: (item) => (item.kind === 'chunk' ? null : encodeEventCursor(item.seq)),
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When it happened.' }),
  }),
});

const interfaces = [SessionEvent];

builder.objectRef<Logged<'SessionStatusChanged'>>('SessionStatusChanged').implement({
  description: 'The session has another status.',
  interfaces,
  fields: (t) => ({
    session: t.expose('row', { type: SessionRef, description: 'The session as it was then.' }),
  }),
});
builder.objectRef<Logged<'StageStatusChanged'>>('StageStatusChanged').implement({
  description: 'A stage was begun, or has another status.',
  interfaces,
  fields: (t) => ({ stage: t.expose('row', { type: StageRef, description: 'The stage as it was then.' }) }),
});
builder.objectRef<Logged<'ExecutionStatusChanged'>>('ExecutionStatusChanged').implement({
  description: 'An agent was begun, or has another status.',
  interfaces,
  fields: (t) => ({
    execution: t.expose('row', { type: ExecutionRef, description: 'The execution as it was then.' }),
  }),
});
type TimelineLogged = Logged<'TimelineEventCreated' | 'TimelineEventCompleted'>;
const TIMELINE_EVENTS = {
  TimelineEventCreated: 'A timeline event came; what is STREAMING grows by StreamChunk.',
  TimelineEventCompleted: 'A timeline event is final; its content is the whole text.',
} as const;
for (const [name, description] of Object.entries(TIMELINE_EVENTS)) {
  builder.objectRef<TimelineLogged>(name).implement({
    description,
    interfaces,
    fields: (t) => ({
      timelineEvent: t.expose('row', {
        type: TimelineEventRef,
        description: 'The timeline event as it was then.',
      }),
    }),
  });
}
builder.objectRef<Logged<'ChatCreated'>>('ChatCreated').implement({
  description: 'Somebody asked about the session for the first time.',
  interfaces,
  fields: (t) => ({ chat: t.expose('row', { type: ChatRef, description: 'The new chat.' }) }),
});
builder.objectRef<Logged<'ChatMessageAdded'>>('ChatMessageAdded').implement({
  description: 'Somebody asked a question.',
  interfaces,
  fields: (t) => ({ message: t.expose('row', { type: ChatMessageRef, description: 'The question.' }) }),
});
builder.objectRef<CaughtUp>('CaughtUp').implement({
  description: 'The replay is complete; what follows is live.',
  interfaces,
});
builder.objectRef<StreamChunk>('StreamChunk').implement({
  description:
    'A piece of a streaming timeline event’s text. The pieces of one event, laid at their offsets, are its content.',
  interfaces,
  fields: (t) => ({
    timelineEventId: t.id({
      description: 'The id of the timeline event, as its field `id` gives it.',
      resolve: ({ timelineEventId }) => encodeGlobalId('TimelineEvent', timelineEventId),
    }),
    offset: t.exposeInt('offset', { description: 'In UTF-16 code units from the start of the text.' }),
    delta: t.exposeString('delta', { description: 'The piece of text.' }),
  }),
});

export const SessionsChanged = builder.objectRef<SessionSnapshot>('SessionsChanged').implement({
  description: 'A session was created, or its status or current stage changed.',
  fields: (t) => ({
    session: t.field({
      type: SessionRef,
      description: 'The session as it is now.',
      resolve: (session) => session,
    }),
  }),
});
