import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export const REQUEST_ID_HEADER = 'X-Request-Id';

/** The accepted form of a client's id: UUIDs, hex and trace ids. Ids are logged, so other characters are refused. */
const GIVEN = /^[\w.:=+/-]{1,128}$/;

/** The id of a request in its answer, the log and errors: the client's own, or a new one. */
export type RequestIds = ReturnType<typeof createRequestIds>;

export function createRequestIds() {
  const storage = new AsyncLocalStorage<string>();
  const known = new WeakMap<IncomingMessage, string>();

  /** All messages of a WebSocket share the id of its upgrade. */
  const of = (req: IncomingMessage): string => {
    const id = known.get(req) ?? givenBy(req) ?? randomUUID();
    known.set(req, id);
    return id;
  };
  return {
    of,
    run: <T>(req: IncomingMessage, work: () => T): T => storage.run(of(req), work),
    /** Returns the id of the current request, or a new id outside any request. */
    current: (): string => storage.getStore() ?? randomUUID(),
  };
}

function givenBy(req: IncomingMessage): string | null {
  const [id, ...more] = req.headersDistinct['x-request-id'] ?? [];
  return id !== undefined && more.length === 0 && GIVEN.test(id) ? id : null;
}
