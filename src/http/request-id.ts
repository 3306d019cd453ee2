import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export const REQUEST_ID_HEADER = 'X-Request-Id';

/** Accepted form of a client's request id, such as a UUID or trace id. Others are replaced, because ids are logged. */
const GIVEN = /^[\w.:=+/-]{1,128}$/;

/** Gives each request its id for the response, the log and errors: the client's own id, or a new one. */
export type RequestIds = ReturnType<typeof createRequestIds>;

export function createRequestIds() {
  const storage = new AsyncLocalStorage<string>();
  const known = new WeakMap<IncomingMessage, string>();

  /** Returns the id of a request. All messages of a WebSocket share the id of its upgrade request. */
  const of = (req: IncomingMessage): string => {
    const id = known.get(req) ?? givenBy(req) ?? randomUUID();
    known.set(req, id);
    return id;
  };
  return {
    of,
    run: <T>(req: IncomingMessage, work: () => T): T => storage.run(of(req), work),
    /** Returns the id of the current request; outside any request, a new id. */
    current: (): string => storage.getStore() ?? randomUUID(),
  };
}

function givenBy(req: IncomingMessage): string | null {
  const [id, ...more] = req.headersDistinct['x-request-id'] ?? [];
  return id !== undefined && more.length === 0 && GIVEN.test(id) ? id : null;
}
