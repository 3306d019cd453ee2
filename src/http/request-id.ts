import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The header that brings a request's id, and takes it back with the answer. */
export const REQUEST_ID_HEADER = 'X-Request-Id';

/** What ids look like in the field: UUIDs, hex, trace ids. It goes into logs: nothing that could be mistaken for more. */
const GIVEN = /^[\w.:=+/-]{1,128}$/;

/** Under which id a request is known in its answer, in the log, and in errors: the client's, or a new one. */
export type RequestIds = ReturnType<typeof createRequestIds>;

export function createRequestIds() {
  const storage = new AsyncLocalStorage<string>();
  const known = new WeakMap<IncomingMessage, string>();

  /** Of a WebSocket: the id of its upgrade, for all that comes over it. */
  const of = (req: IncomingMessage): string => {
    const id = known.get(req) ?? givenBy(req) ?? randomUUID();
    known.set(req, id);
    return id;
  };
  return {
    of,
    /** Does something on behalf of a request. */
    run: <T>(req: IncomingMessage, work: () => T): T => storage.run(of(req), work),
    /** Of the request on whose behalf this runs; a new one when that is nobody's. */
    current: (): string => storage.getStore() ?? randomUUID(),
  };
}

function givenBy(req: IncomingMessage): string | null {
  const [id, ...more] = req.headersDistinct['x-request-id'] ?? [];
  return id !== undefined && more.length === 0 && GIVEN.test(id) ? id : null;
}
