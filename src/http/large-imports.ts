import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Viewer } from '../access/viewer.ts';
import { createTurns } from '../resolvers/reads/turns.ts';
import { busy } from '../schema/errors.ts';
import { textBytesOf } from './text-bytes.ts';
import { IMPORTS_AT_ONCE, MAX_IMPORT_REST_BYTES } from './tunables.ts';

/** The objects of Node that a request came with. A WebSocket has no response. */
export interface ServerContext {
  req: IncomingMessage;
  res?: ServerResponse;
}

/** Requests that import cases, which may be larger than others. */
export interface LargeImports {
  /** True if the viewer of a request may import cases. */
  isAllowed(context: ServerContext): boolean;
  /** Waits for a turn, which the end of the request releases. @throws BUSY */
  admit(context: ServerContext): Promise<void>;
}

/** Creates the limits of large imports. One request occupies up to 100 MiB, so that few are read at once. */
export function createLargeImports(viewerOf: (req: IncomingMessage) => Viewer): LargeImports {
  const tooMany = () => busy('Too many large requests are read already.');
  const turns = createTurns({ ...IMPORTS_AT_ONCE, tooMany });
  return {
    isAllowed: ({ req }) => viewerOf(req).rights.has('REVIEW'),
    async admit({ req, res }) {
      const release = await turns.take(viewerOf(req).name);
      if (res === undefined || res.closed) release();
      else res.once('close', release);
    },
  };
}

/** True if a request, as JSON, is small apart from the case in its variables. */
export function isOnlyCase(text: string): boolean {
  const document = documentIn(text);
  if (typeof document !== 'string') return false;
  return textBytesOf(text) - Buffer.byteLength(document) <= MAX_IMPORT_REST_BYTES;
}

function documentIn(text: string): unknown {
  try {
    const { variables } = JSON.parse(text) as { variables?: { input?: { document?: unknown } } };
    return variables?.input?.document;
  } catch {
    return null;
  }
}
