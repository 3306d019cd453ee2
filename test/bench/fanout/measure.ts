import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { CHANNELS } from '../../../src/engine/live/event-log.ts';
import { encodeChunk } from '../../../src/engine/live/notices.ts';
import { insertRow, insertSession } from '../../helpers/http-api.ts';
import { cpuSeconds, nextMessage, residentMemory } from '../children.ts';
import { type Report, stampedPiece } from './protocol.ts';

/** Length of one piece (UTF-16 code units), because a model sends several tokens at once. */
const PIECE_UNITS = 24;

/** Time between pieces (ms), for 200 pieces a second. */
const EVERY_MS = 5;

/** Time that an overloaded server gets to deliver the rest after the last piece (ms). */
const GRACE_MS = 3000;

export interface Measured {
  /** Share of subscribers that received the whole text. */
  complete: number;
  characters: number;
  latencies: number[];
  /** Share of one core that the server used while pieces were written and delivered. */
  cpuShare: number;
  /** Server CPU time per delivered character (µs). */
  cpuPerCharacter: number;
  /** Resident memory of the server (bytes): with all subscribers connected, then at the end. */
  memory: [before: number, after: number];
}

/** Measures `count` subscribers that follow a session while text is written for a number of seconds. */
export async function measureFanOut(options: {
  pool: pg.Pool;
  clients: ChildProcess;
  server: { pid: number; port: number };
  count: number;
  seconds: number;
  /** Groups of the subscribers' users, as in `Connect`. */
  groups?: readonly string[];
}): Promise<Measured> {
  const { pool, clients, server, count, seconds, groups } = options;
  const sessionId = await insertSession(pool, { status: 'IN_PROGRESS' });
  const timelineEventId = uuidv7();
  const text = { id: timelineEventId, session_id: sessionId, sequence_number: 1, type: 'LLM_RESPONSE' };
  await insertRow(pool, 'timeline_events', { ...text, status: 'STREAMING', content: '' });
  const ready = nextMessage(clients, 'ready');
  clients.send({ connect: { port: server.port, count, sessionId, groups } });
  await ready;
  await delay(500); // so that the cost of connecting is not measured

  const memory = await residentMemory(server.pid);
  const [cpu, begun] = [await cpuSeconds(server.pid), performance.now()];
  const reported = nextMessage<Report>(clients, 'report');
  const length = await write(pool, { sessionId, timelineEventId, seconds });
  clients.send({ finish: length });
  const timer = setTimeout(() => clients.send({ ask: true }), GRACE_MS);
  const { complete, characters, latencies } = await reported;
  clearTimeout(timer);
  const used = (await cpuSeconds(server.pid)) - cpu;
  const after = await residentMemory(server.pid);
  const elapsed = (performance.now() - begun) / 1000;
  const left = nextMessage(clients, 'left');
  clients.send({ leave: true });
  await left;
  return {
    complete,
    characters,
    latencies,
    cpuShare: used / elapsed,
    cpuPerCharacter: (used * 1e6) / characters,
    memory: [memory, after],
  };
}

/** Writes pieces on schedule, no matter how long earlier ones take. Returns the length of the whole text. */
async function write(
  pool: pg.Pool,
  options: { sessionId: string; timelineEventId: string; seconds: number },
): Promise<number> {
  const { sessionId, timelineEventId, seconds } = options;
  const begun = performance.now();
  const total = (seconds * 1000) / EVERY_MS;
  let written: Promise<unknown> = Promise.resolve();
  for (let n = 0; n < total; n++) {
    const early = begun + n * EVERY_MS - performance.now();
    if (early > 0) await delay(early);
    const offset = n * PIECE_UNITS;
    written = written.then(() => {
      // Built when sent, so that waiting for a busy database is not measured.
      const notice = { sessionId, timelineEventId, offset, delta: stampedPiece(PIECE_UNITS), saved: 0 };
      return pool.query('select pg_notify($1, $2)', [CHANNELS.chunk, encodeChunk(notice)]);
    });
  }
  await written;
  return total * PIECE_UNITS;
}
