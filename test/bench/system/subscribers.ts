import { crc32 } from 'node:zlib';
import { openConnection } from '../fanout/connection.ts';
import { stampsIn } from '../fanout/protocol.ts';
import { lineOf, type Received, type SubscriberReport, type Target } from './protocol.ts';

/** The subscribers in a process of their own, so that their work does not count as the servers'. */

const DOCUMENT = `subscription ($id: ID!, $after: String) { sessionEvents(sessionId: $id, after: $after) {
  __typename cursor
  ... on SessionStatusChanged { session { status } }
  ... on TimelineEventCreated { timelineEvent { id status } }
  ... on TimelineEventCompleted { timelineEvent { id content } }
  ... on StreamChunk { timelineEventId offset delta } } }`;

interface Item {
  __typename: string;
  cursor: string | null;
  session?: { status: string };
  timelineEvent?: { id: string; status?: string; content?: string };
  timelineEventId?: string;
  offset?: number;
  delta?: string;
}

interface Subscriber extends Received {
  port: number;
  isSampled: boolean;
  cursor: string | null;
  /** The streamed part of each text that grows. */
  texts: Map<string, string>;
}

/** Every SAMPLED-th subscriber records arrival times, because recording costs more than receiving. */
const SAMPLED = 10;
/** Number of connections opened in parallel, because a server's accept queue is short. */
const AT_ONCE = 50;
/** Pause before a lost or refused connection is opened again (ms). */
const AGAIN_MS = 500;
const ENDED = new Set(['COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT']);

const subscribers: Subscriber[] = [];
let latencies: number[] = [];
let messages = 0;
/** The last message of each session, parsed once, because all subscribers of a session get equal ones. */
const known = new Map<string, { rest: Buffer; item: Item }>();

process.once('disconnect', () => process.exit()); // the bench has ended
process.on('message', (message: { connect?: Target[]; ask?: true }) => {
  if (message.connect) void connectAll(message.connect);
  if (message.ask) {
    const received = subscribers.map(({ sessionId, seq, checksum, ended, connections, problem }) => ({
      ...{ sessionId, seq, checksum, ended, connections, problem },
    }));
    process.send!({ report: { received, latencies, messages } satisfies SubscriberReport });
    latencies = [];
    messages = 0;
  }
});

async function connectAll(targets: readonly Target[]): Promise<void> {
  for (let n = 0; n < targets.length; n += AT_ONCE) {
    const group = targets.slice(n, n + AT_ONCE).map(({ port, sessionId }, m) => {
      const subscriber: Subscriber = {
        ...{ sessionId, port, seq: 0, checksum: 0, ended: false, connections: 0, problem: null },
        ...{ isSampled: (n + m) % SAMPLED === 0, cursor: null, texts: new Map() },
      };
      subscribers.push(subscriber);
      return open(subscriber);
    });
    await Promise.all(group);
  }
  process.send!({ ready: true });
}

/** Subscribes from the last cursor. Resolves with the first item. */
function open(subscriber: Subscriber): Promise<void> {
  subscriber.connections += 1;
  subscriber.texts.clear();
  return new Promise((resolve) => {
    const again = () => {
      if (!subscriber.ended) setTimeout(() => void open(subscriber).then(resolve), AGAIN_MS);
    };
    const connection = openConnection({
      port: subscriber.port,
      onOpen: ({ send }) => send('{"type":"connection_init"}'),
      onText(data) {
        messages += 1;
        const { type, item } = messageOf(subscriber, data);
        if (item !== undefined) {
          resolve();
          take(subscriber, item);
        } else if (type === 'connection_ack') {
          const variables = { id: subscriber.sessionId, after: subscriber.cursor };
          const payload = { query: DOCUMENT, variables };
          connection.send(JSON.stringify({ id: '1', type: 'subscribe', payload }));
        } else if (type !== 'ping') {
          connection.destroy(); // refused, such as DATABASE_UNAVAILABLE, or ended
          again();
        }
      },
      onClose: again,
    });
  });
}

/** Reads a message. `item` is undefined if the message has none. */
function messageOf({ sessionId }: Subscriber, data: Buffer): { type: string; item: Item | undefined } {
  const last = known.get(sessionId);
  if (last?.rest.equals(data)) return { type: 'next', item: last.item };
  const { type, payload } = JSON.parse(data.toString()) as {
    type: string;
    payload?: { data?: { sessionEvents: Item } };
  };
  const item = payload?.data?.sessionEvents;
  if (item !== undefined) known.set(sessionId, { rest: Buffer.from(data), item });
  return { type, item };
}

function take(subscriber: Subscriber, item: Item): void {
  if (item.cursor !== null && item.__typename !== 'CaughtUp') takeEvent(subscriber, item);
  const { timelineEvent: event, timelineEventId: id = '', offset = 0, delta = '' } = item;
  if (item.__typename === 'TimelineEventCreated' && event?.status === 'STREAMING') {
    subscriber.texts.set(event.id, '');
  } else if (item.__typename === 'StreamChunk') {
    const text = offset === 0 ? '' : (subscriber.texts.get(id) ?? '');
    if (offset !== text.length) subscriber.problem ??= `a piece at ${offset} after ${text.length}`;
    subscriber.texts.set(id, text + delta);
    if (!subscriber.isSampled) return;
    const now = performance.timeOrigin + performance.now();
    for (const stamp of stampsIn(delta)) latencies.push(now - stamp);
  } else if (item.__typename === 'TimelineEventCompleted' && event) {
    const text = subscriber.texts.get(event.id) ?? '';
    if (!event.content!.startsWith(text)) subscriber.problem ??= `a text that is not the stored one`;
    subscriber.texts.delete(event.id);
  }
}

function takeEvent(subscriber: Subscriber, item: Item): void {
  const seq = Number(Buffer.from(item.cursor!, 'base64url').toString().slice(3));
  if (seq !== subscriber.seq + 1) subscriber.problem ??= `event ${seq} after ${subscriber.seq}`;
  const content = item.__typename === 'TimelineEventCompleted' ? item.timelineEvent!.content! : '';
  subscriber.seq = seq;
  subscriber.cursor = item.cursor;
  subscriber.checksum = crc32(lineOf(seq, item.__typename, content), subscriber.checksum);
  if (item.session && ENDED.has(item.session.status)) subscriber.ended = true;
}
