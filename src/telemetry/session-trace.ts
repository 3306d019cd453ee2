import { createHash } from 'node:crypto';
import { type Context, ROOT_CONTEXT, TraceFlags, trace } from '@opentelemetry/api';
import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace-base';

interface SpanIds {
  traceId: string;
  spanId: string;
}

/**
 * Returns the ids of a session's root span. The trace id is the session id, so that every process that works on the
 * session continues the same trace, also after a crash.
 */
function rootIds(sessionId: string): SpanIds {
  return {
    traceId: sessionId.replaceAll('-', '').toLowerCase(),
    spanId: createHash('sha256').update(sessionId).digest('hex').slice(0, 16),
  };
}

/** Returns the trace context of a session, whose parent is the root span. Another process may have sent that span. */
export function traceOf(sessionId: string): Context {
  const parent = { ...rootIds(sessionId), traceFlags: TraceFlags.SAMPLED, isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, parent);
}

/** Generates random ids, except for root spans of sessions. */
export function createSpanIds() {
  const random = new RandomIdGenerator();
  let root: SpanIds | null = null;
  const generator: IdGenerator = {
    generateTraceId: () => root?.traceId ?? random.generateTraceId(),
    generateSpanId: () => root?.spanId ?? random.generateSpanId(),
  };
  return {
    generator,
    /** Runs `start`, in which a new span gets the ids of the session's root span. */
    asRootOf<T>(sessionId: string, start: () => T): T {
      root = rootIds(sessionId);
      try {
        return start();
      } finally {
        root = null;
      }
    },
  };
}
