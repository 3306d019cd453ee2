import { CHANNELS } from './event-log.ts';

export interface EventNotice {
  sessionId: string;
  seq: number;
  type: string;
}

/**
 * A piece of streaming text. `offset`: start of the piece in the text; `saved`: length of the text that is
 * stored in the database (both in UTF-16 code units).
 */
export interface ChunkNotice {
  sessionId: string;
  timelineEventId: string;
  offset: number;
  delta: string;
  saved: number;
}

/** A notice as sent: the channel and its payload. */
export interface Notice {
  channel: (typeof CHANNELS)[keyof typeof CHANNELS];
  payload: string;
}

/** The events of a bus by name, with their arguments. */
export interface BusEvents {
  event: [EventNotice];
  chunk: [ChunkNotice];
  cancel: [id: string];
  conclude: [sessionId: string];
  /** The way of the notices changed. Notices after `since` (database clock, accurate to a few seconds) may be lost. */
  reconnected: [since: Date];
}

type Decoded = {
  [Name in 'event' | 'chunk' | 'cancel' | 'conclude']: { name: Name; value: BusEvents[Name][0] };
};

/** Decodes a payload, which any client of the database or of NATS may have sent. Returns `null` if it is invalid. */
export function decodeNotice(channel: string, payload: string): Decoded[keyof Decoded] | null {
  if (channel === CHANNELS.event) {
    const value = decodeEvent(payload);
    return value && { name: 'event', value };
  }
  if (channel === CHANNELS.chunk) {
    const value = decodeChunk(payload);
    return value && { name: 'chunk', value };
  }
  if (channel === CHANNELS.cancel) return { name: 'cancel', value: payload };
  if (channel === CHANNELS.conclude) return { name: 'conclude', value: payload };
  return null;
}

/** Encodes a notice as JSON with short keys, because a payload must stay below 8000 bytes. */
export function encodeChunk(chunk: ChunkNotice): string {
  const { sessionId, timelineEventId, offset, delta, saved } = chunk;
  return JSON.stringify({ s: sessionId, t: timelineEventId, o: offset, d: delta, c: saved });
}

function decodeChunk(payload: string): ChunkNotice | null {
  const { s, t, o, d, c } = parsed(payload);
  if (!isId(s) || !isId(t) || !isLength(o) || !isLength(c) || typeof d !== 'string') return null;
  return { sessionId: s, timelineEventId: t, offset: o, delta: d, saved: c };
}

function decodeEvent(payload: string): EventNotice | null {
  const [sessionId, seq, type = ''] = payload.split(':');
  return isId(sessionId) && isLength(Number(seq)) ? { sessionId, seq: Number(seq), type } : null;
}

function parsed(payload: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(payload)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const isId = (value: unknown): value is string => typeof value === 'string' && UUID.test(value);
const isLength = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
