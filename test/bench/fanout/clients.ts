import { type Connection, openConnection } from './connection.ts';
import { type Connect, DOCUMENT, type Report, stampsIn } from './protocol.ts';

/** Runs the subscribers in their own process, so that their work does not count as the server's. */

/** Every SAMPLED-th subscriber records arrival times, because recording costs more than receiving. */
const SAMPLED = 20;

/** Number of connections opened in parallel. The limit is needed because a server's accept queue is short. */
const AT_ONCE = 50;

let report: Report;
let expected = 0;
const connections: Connection[] = [];

interface Message {
  type: string;
  payload?: { data: { sessionEvents: { offset?: number; delta?: string } } };
}

process.on('message', (message: { connect?: Connect; finish?: number; ask?: true; leave?: true }) => {
  if (message.connect) void connectAll(message.connect);
  if (message.finish !== undefined) {
    expected = message.finish;
    tellWhenDone();
  }
  if (message.leave) {
    leave();
    process.send!({ left: true });
  }
  if (message.ask) process.send!({ report }); // time is up: report the current state
});

async function connectAll({ port, count, sessionId, groups }: Connect): Promise<void> {
  report = { complete: 0, characters: 0, latencies: [] };
  expected = 0;
  for (let n = 0; n < count; n += AT_ONCE) {
    const group = Array.from({ length: Math.min(AT_ONCE, count - n) }, (_, m) =>
      subscribe(port, sessionId, n + m, groups),
    );
    await Promise.all(group);
  }
  process.send!({ ready: true });
}

function leave(): void {
  for (const connection of connections.splice(0)) connection.destroy();
}

const lengths: number[] = [];

/** Subscribes. Resolves with the first result. */
function subscribe(
  port: number,
  sessionId: string,
  index: number,
  groups: readonly string[] = [],
): Promise<void> {
  lengths[index] = 0;
  return new Promise((resolve) => {
    const connection = openConnection({
      port,
      ...(groups.length > 0 && {
        headers: {
          'X-Forwarded-User': `user-${index}`,
          'X-Forwarded-Groups': groups[index % groups.length]!,
        },
      }),
      onOpen: ({ send }) => send('{"type":"connection_init"}'),
      onText(data) {
        const { type, payload } = parsed(data);
        if (type === 'connection_ack') {
          const request = { query: DOCUMENT, variables: { id: sessionId } };
          connection.send(JSON.stringify({ id: `operation-${index}`, type: 'subscribe', payload: request }));
        } else if (type === 'next') {
          resolve();
          const { offset, delta } = payload!.data.sessionEvents;
          if (offset !== undefined && delta !== undefined) take(index, offset, delta);
        } else {
          throw new Error(`unexpected: ${data}`);
        }
      },
      onClose: (code) => process.send!({ lost: code }),
    });
    connections.push(connection);
  });
}

/**
 * The last live message without its id. All subscribers get the same message, so it is parsed only once, and
 * the clients do not slow the measurement.
 */
let known: { rest: Buffer; message: Message } | null = null;

function parsed(data: Buffer): Message {
  const rest = data.subarray(data.indexOf(',')); // the message begins with the id
  if (known?.rest.equals(rest)) return known.message;
  const message = JSON.parse(data.toString()) as Message;
  if (message.type === 'next') known = { rest: Buffer.from(rest), message };
  return message;
}

function take(index: number, offset: number, delta: string): void {
  if (offset !== lengths[index]) throw new Error(`a gap: ${offset} after ${lengths[index]}`);
  lengths[index] = offset + delta.length;
  report.characters += delta.length;
  if (index % SAMPLED === 0) {
    const now = performance.timeOrigin + performance.now();
    for (const stamp of stampsIn(delta)) report.latencies.push(now - stamp);
  }
  if (lengths[index] === expected) tellWhenDone();
}

function tellWhenDone(): void {
  report.complete = lengths.slice(0, connections.length).filter((length) => length === expected).length;
  if (report.complete === connections.length) process.send!({ report });
}
