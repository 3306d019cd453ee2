import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { proxyFor } from '../../../outgoing/proxies.ts';
import { type KubeObject, numberAt, objectAt, objectsAt, textAt } from './fields.ts';
import type { Cluster } from './kubeconfig.ts';

/** Maximum size of one response (bytes). */
const MAX_RESPONSE_BYTES = 32 * 2 ** 20;
const PAGE_SIZE = 500;
/** Maximum number of objects read from one list, which bounds memory and time in large clusters. */
const MAX_OBJECTS = 5000;
const MAX_SOCKETS = 6;

/** Asks the server for metadata without the rest, so that neither values of Secrets nor large data are transferred. */
const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
const METADATA_KIND = 'PartialObjectMetadataList';

/** A refused or failed request. `status` is `null` if there was no answer. */
export class ApiError extends Error {
  readonly status: number | null;

  constructor(status: number | null, message: string) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
  }
}

export interface Listing {
  items: KubeObject[];
  /** Why objects are missing; `null` if the list is complete. */
  problem: string | null;
  /** Status of the failed request; `null` if there was none. */
  status: number | null;
}

export interface ListOptions {
  metadataOnly?: boolean;
  /** Restricts the list, such as `involvedObject.kind=Node`. */
  fieldSelector?: string;
  signal: AbortSignal;
}

/** A read-only client of one cluster's API: GET requests, bounded in time, size and number of objects. */
export interface KubernetesApi {
  /** @throws ApiError */
  get(path: string, signal: AbortSignal): Promise<KubeObject>;
  /** Reads all pages. Never throws: the listing says why it is incomplete. */
  list(path: string, options: ListOptions): Promise<Listing>;
}

export interface ApiOptions {
  /** Environment that names proxies. */
  env: NodeJS.ProcessEnv;
  /** Time limit of one request (ms). */
  timeoutMs: number;
}

export function createKubernetesApi(cluster: Cluster, { env, timeoutMs }: ApiOptions): KubernetesApi {
  const isTls = cluster.url.protocol === 'https:';
  const proxy = cluster.proxyUrl ?? proxyFor(cluster.url, env)?.url;
  const agentOptions = {
    keepAlive: true,
    maxSockets: MAX_SOCKETS,
    ...(proxy && { proxyEnv: { [isTls ? 'HTTPS_PROXY' : 'HTTP_PROXY']: proxy } }),
  };
  const agent = isTls ? new HttpsAgent({ ...agentOptions, ...cluster.tls }) : new HttpAgent(agentOptions);
  const base = cluster.url.href.replace(/\/+$/, '');

  async function get(path: string, signal: AbortSignal, accept = 'application/json'): Promise<KubeObject> {
    const { token, cert, key } = await credentials(cluster);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const headers = {
      accept,
      'user-agent': 'tarsy-changes',
      ...(token && { authorization: `Bearer ${token}` }),
    };
    const send = isTls ? httpsRequest : httpRequest;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const certificate = cert && key ? { cert, key } : {};
      send(`${base}${path}`, { agent, headers, signal: limit, ...cluster.tls, ...certificate }, resolve)
        .once('error', reject)
        .end();
    }).catch((error) => {
      throw requestError(error, signal, timeoutMs);
    });
    const text = await readBody(response).catch((error) => {
      throw requestError(error, signal, timeoutMs);
    });
    const body = parseObject(text);
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299)
      throw new ApiError(status, textAt(body, 'message')?.slice(0, 300) ?? `HTTP ${status}`);
    if (body === null) throw new ApiError(status, 'the answer is no JSON object');
    return body;
  }

  async function pages(path: string, options: ListOptions, items: KubeObject[]): Promise<string | null> {
    const { metadataOnly, fieldSelector, signal } = options;
    let token = '';
    for (;;) {
      const query = new URLSearchParams({
        limit: String(PAGE_SIZE),
        ...(fieldSelector && { fieldSelector }),
        ...(token && { continue: token }),
      });
      const page = await get(`${path}?${query}`, signal, metadataOnly ? METADATA_ONLY : undefined);
      // A server that ignores the wanted form would send whole Secrets: their values are dropped unread.
      if (metadataOnly && page.kind !== METADATA_KIND)
        throw new ApiError(null, 'the server does not send metadata alone');
      items.push(...objectsAt(page, 'items'));
      token = textAt(page, 'metadata', 'continue') ?? '';
      if (token === '') return null;
      if (items.length >= MAX_OBJECTS) {
        const more = numberAt(objectAt(page, 'metadata'), 'remainingItemCount');
        return `only the first ${items.length} objects were read${more === null ? '' : `, ${more} more exist`}; name a namespace`;
      }
    }
  }

  return {
    get,
    async list(path, listOptions) {
      // A list that expires while it is read (410) is read once more from its beginning.
      for (let attempt = 1; ; attempt++) {
        const items: KubeObject[] = [];
        try {
          return { items, problem: await pages(path, listOptions, items), status: null };
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          if (error.status === 410 && attempt === 1) continue;
          return { items, problem: describe(error), status: error.status };
        }
      }
    },
  };
}

/** Returns the error with its status in front, such as `403 forbidden: secrets is forbidden: User "x" cannot …`. */
export function describe({ status, message }: ApiError): string {
  if (status === 403) return `403 forbidden: ${message}`;
  if (status === 410) return `410 the list expired twice while it was read: ${message}`;
  return status === null ? message : `${status}: ${message}`;
}

async function credentials(cluster: Cluster) {
  try {
    return await cluster.credentials();
  } catch (error) {
    throw new ApiError(null, error instanceof Error ? error.message : 'the credentials could not be read');
  }
}

function requestError(error: unknown, signal: AbortSignal, timeoutMs: number): ApiError {
  if (error instanceof ApiError) return error;
  if (signal.aborted) return new ApiError(null, 'no answer within the time of the whole call');
  if (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError'))
    return new ApiError(null, `no answer within ${timeoutMs / 1000} s`);
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  return new ApiError(null, `the Kubernetes API could not be reached (${code})`);
}

async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) {
      response.destroy();
      throw new ApiError(null, `the answer is larger than ${MAX_RESPONSE_BYTES / 2 ** 20} MiB`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parseObject(text: string): KubeObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as KubeObject) : null;
  } catch {
    return null;
  }
}
