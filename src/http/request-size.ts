import { type ExecutionArgs, GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { isOnlyCase, type LargeImports, type ServerContext } from './large-imports.ts';
import { textBytesOf } from './text-bytes.ts';
import {
  MAX_IMPORT_BYTES,
  MAX_REQUEST_BYTES,
  MAX_REQUEST_TEXT_BYTES,
  MAX_SUBSCRIPTION_LENGTH,
} from './tunables.ts';

const BYTE_ORDER_MARK = '\ufeff';

/** Returns true if a JSON text, its escapes decoded, exceeds MAX_REQUEST_TEXT_BYTES. Skips texts too short to exceed it. */
export function hasTooMuchText(json: string): boolean {
  return json.length > MAX_REQUEST_TEXT_BYTES / 3 && textBytesOf(json) > MAX_REQUEST_TEXT_BYTES;
}

/** Reads POST bodies as JSON, with or without a byte order mark. Refuses bodies that are too large. */
export function readBodies(imports: LargeImports): Plugin<object, ServerContext> {
  return {
    onRequestParse({ request, serverContext, setRequestParser }) {
      if (request.method === 'POST') setRequestParser((sent) => readParams(sent, serverContext, imports));
    },
  };
}

async function readParams(
  request: Request,
  context: ServerContext,
  imports: LargeImports,
): Promise<GraphQLParams> {
  const length = Number(request.headers.get('content-length') ?? Number.NaN);
  // Reads a body of known, small length at once, because counting its pieces takes longer.
  if (length <= MAX_REQUEST_TEXT_BYTES) return parseJson(await request.text());
  const isLong = length > MAX_REQUEST_BYTES;
  if (isLong && !imports.isAllowed(context)) throw tooLarge(MAX_REQUEST_BYTES);
  if (length > MAX_IMPORT_BYTES) throw tooLarge(MAX_IMPORT_BYTES);
  if (isLong) await imports.admit(context);
  const text = await readWithin(request.body, isLong ? MAX_IMPORT_BYTES : MAX_REQUEST_BYTES);
  const hasTooMuch = hasTooMuchText(text);
  if (hasTooMuch && !imports.isAllowed(context)) throw tooLarge(MAX_REQUEST_TEXT_BYTES, ' of text');
  if ((isLong || hasTooMuch) && !isOnlyCase(text)) throw tooLarge(MAX_REQUEST_TEXT_BYTES, ' of text');
  return parseJson(text);
}

/** @throws BAD_REQUEST if the text is not JSON. Yoga checks the type of the value. */
function parseJson(text: string): GraphQLParams {
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch {
    throw new GraphQLError('The request body is not JSON.', {
      extensions: { code: 'BAD_REQUEST', http: { status: 400 } },
    });
  }
}

/** Reads a body as text. @throws REQUEST_ENTITY_TOO_LARGE as soon as it has more than `limit` bytes */
async function readWithin(body: ReadableStream<Uint8Array> | null, limit: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  const reader = body?.getReader();
  for (let bytes = 0; ; ) {
    const { value } = (await reader?.read()) ?? {};
    if (!value) return new TextDecoder().decode(Buffer.concat(pieces));
    bytes += value.byteLength;
    if (bytes > limit) throw tooLarge(limit);
    pieces.push(value);
  }
}

function tooLarge(limit: number, of = ''): GraphQLError {
  const message = `The request has more than ${limit} bytes${of}.`;
  const extensions = { code: 'REQUEST_ENTITY_TOO_LARGE', http: { status: 413 } };
  return new GraphQLError(message, { extensions });
}

interface Asked {
  messageLength?: number;
  /** Set over HTTP only. The request keeps its whole body in memory. */
  request?: Request;
  /** Parsed parameters; measured too, because a body may lack Content-Length and a GET has no body. */
  params?: unknown;
}

/** Refuses long subscription requests, because their text stays in memory while the subscription is open. */
export function limitSubscriptions(): Plugin {
  return {
    onSubscribe({ args, setResultAndStopExecution }) {
      const length = lengthOf((args as ExecutionArgs).contextValue as Asked);
      if (length <= MAX_SUBSCRIPTION_LENGTH) return;
      const message = `The subscription has ${length} characters, variables and comments included; at most ${MAX_SUBSCRIPTION_LENGTH} are allowed. Shorten it.`;
      const extensions = { code: 'DOCUMENT_TOO_LARGE', http: { status: 400 } };
      setResultAndStopExecution({ errors: [new GraphQLError(message, { extensions })] });
    },
  };
}

function lengthOf({ messageLength, request, params }: Asked): number {
  if (messageLength !== undefined) return messageLength;
  const body = Number(request?.headers.get('content-length') ?? 0);
  return Math.max(body, JSON.stringify(params ?? {}).length);
}
