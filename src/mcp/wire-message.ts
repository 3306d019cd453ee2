import type { RequestId } from '@modelcontextprotocol/client';

/** Requests that wait for an answer: their methods by id. */
export type AwaitedRequests = ReadonlyMap<RequestId, string>;

type Members = Record<string, unknown>;

/** Member that carries the server's own result past the SDK's schemas, which refuse a whole result for one detail. */
const OWN_RESULT = 'tarsy/result';

/** Empty results that the SDK accepts in every protocol revision. This client reads the result that they carry. */
const CARRIERS: Readonly<Record<string, Members>> = {
  'tools/list': { tools: [], ttlMs: 0, cacheScope: 'private' },
  'tools/call': { content: [] },
};

/** Code of JSON-RPC for an internal error. */
const INTERNAL_ERROR = -32_603;
/** Levels of a message in which null members are removed. The protocol's own members are no deeper. */
const MAX_DEPTH = 6;

/** Returns the result of `tools/list` or `tools/call` as the server sent it. */
export function ownResult(result: Members): unknown {
  return result[OWN_RESULT];
}

/**
 * Converts a message or batch to a form that the SDK accepts. Treats null members as absent, and a missing result as
 * empty. An answer without a usable id belongs to the only awaited request. Leaves the content of tool lists and tool results unchanged.
 */
export function repairMessage(raw: unknown, awaited: AwaitedRequests): unknown {
  if (Array.isArray(raw)) return raw.map((message) => repairMessage(message, awaited));
  if (!isMembers(raw)) return raw;
  if (typeof raw.method === 'string') {
    const { jsonrpc, id, method, params } = raw;
    return withoutNulls({ jsonrpc, id, method, params }, MAX_DEPTH);
  }
  const id = awaitedId(raw, awaited);
  if (id === undefined) return raw;
  const answer = { jsonrpc: '2.0', id };
  const hasError = raw.error !== undefined && raw.error !== null;
  if (hasError) return { ...answer, error: repairError(raw.error) };
  return { ...answer, result: repairResult(raw.result, awaited.get(id) ?? '') };
}

/** Returns the awaited request that an answer belongs to; `undefined` if there is none. */
function awaitedId({ id, result, error }: Members, awaited: AwaitedRequests): RequestId | undefined {
  const ids = [...awaited.keys()];
  if (id !== undefined && id !== null) return ids.find((known) => String(known) === String(id));
  const isAnswer = (result ?? error ?? null) !== null;
  return isAnswer && ids.length === 1 ? ids[0] : undefined;
}

function repairError(error: unknown): Members {
  if (!isMembers(error)) return { code: INTERNAL_ERROR, message: textOf(error) };
  const { code, message, data } = error;
  return {
    code: Number.isInteger(Number(code ?? Number.NaN)) ? Number(code) : INTERNAL_ERROR,
    message: typeof message === 'string' ? message : textOf(message ?? error),
    ...(data === undefined || data === null ? {} : { data }),
  };
}

function repairResult(result: unknown, method: string): unknown {
  // Other types, such as a request for input, are the SDK's to handle.
  if (isMembers(result) && typeof result.resultType === 'string' && result.resultType !== 'complete')
    return result;
  const carrier = CARRIERS[method];
  if (carrier !== undefined) return { resultType: 'complete', ...carrier, [OWN_RESULT]: result };
  return isMembers(result) ? { resultType: 'complete', ...withoutNulls(result, MAX_DEPTH) } : {};
}

function withoutNulls(members: Members, depth: number): Members {
  const present = Object.entries(members).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(
    present.map(([name, value]) => [
      name,
      depth > 0 && isMembers(value) ? withoutNulls(value, depth - 1) : value,
    ]),
  );
}

function textOf(value: unknown): string {
  try {
    return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  } catch {
    return 'an error that is nested too deeply to be shown';
  }
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
