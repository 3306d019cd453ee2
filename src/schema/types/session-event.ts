import type {
  CaughtUp,
  LoggedEvent,
  SessionSnapshot,
  SessionStreamItem,
  StreamChunk,
} from '../../engine/engine.ts';
import { builder } from '../builder.ts';
import { encodeEventCursor } from '../cursors.ts';
import { encodeGlobalId } from '../ids.ts';
import { ChatMessageRef, ChatRef, ExecutionRef, SessionRef, StageRef, TimelineEventRef } from './refs.ts';

type Logged<Type extends LoggedEvent['type']> = Extract<LoggedEvent, { type: Type }>;

export const SessionEvent = builder.interfaceRef<SessionStreamItem>('SessionEvent').implement({
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
    at: t.expose('at', { type: 'DateTime' }),
  }),
});

const interfaces = [SessionEvent];

builder.objectRef<Logged<'SessionStatusChanged'>>('SessionStatusChanged').implement({
  interfaces,
  fields: (t) => ({ session: t.expose('row', { type: SessionRef }) }),
});
builder.objectRef<Logged<'StageStatusChanged'>>('StageStatusChanged').implement({
  interfaces,
  fields: (t) => ({ stage: t.expose('row', { type: StageRef }) }),
});
builder.objectRef<Logged<'ExecutionStatusChanged'>>('ExecutionStatusChanged').implement({
  interfaces,
  fields: (t) => ({ execution: t.expose('row', { type: ExecutionRef }) }),
});
type TimelineLogged = Logged<'TimelineEventCreated' | 'TimelineEventCompleted'>;
for (const name of ['TimelineEventCreated', 'TimelineEventCompleted'] as const) {
  builder.objectRef<TimelineLogged>(name).implement({
    interfaces,
    fields: (t) => ({ timelineEvent: t.expose('row', { type: TimelineEventRef }) }),
  });
}
builder.objectRef<Logged<'ChatCreated'>>('ChatCreated').implement({
  interfaces,
  fields: (t) => ({ chat: t.expose('row', { type: ChatRef }) }),
});
builder.objectRef<Logged<'ChatMessageAdded'>>('ChatMessageAdded').implement({
  interfaces,
  fields: (t) => ({ message: t.expose('row', { type: ChatMessageRef }) }),
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
    delta: t.exposeString('delta'),
  }),
});

export const SessionsChanged = builder.objectRef<SessionSnapshot>('SessionsChanged').implement({
  fields: (t) => ({ session: t.field({ type: SessionRef, resolve: (session) => session }) }),
});
