import { Client, errors, ProxyAgent } from 'undici';
import { ValidationError } from '../common/errors.ts';
import { ProxyError } from '../outgoing/errors.ts';
import { withProxy } from '../outgoing/failures.ts';
import { type ForwardProxy, proxyFor } from '../outgoing/proxies.ts';
import { addressKind } from './addresses.ts';
import { HTML_MAX_BYTES, readTextBody } from './body.ts';
import { RunbookError } from './errors.ts';
import { type HostToken, hostTokenFor } from './git-servers.ts';
import { type GithubToken, mayReceiveGithubToken } from './github.ts';
import type { Network } from './network.ts';
import { checkRunbookUrl, isPrivateHost, literalAddress, type RunbookRules } from './url.ts';

export interface GuardedFetchDeps {
  rules: RunbookRules;
  githubToken: GithubToken | null;
  hostTokens: readonly HostToken[];
  network: Network;
  /** Time limit of the whole fetch (ms), redirects included. */
  timeoutMs: number;
}

export interface FetchOptions {
  /** Maximum size of the text (bytes), both as sent and decompressed. A page may be larger than its text. */
  maxBytes: number;
  accept: string;
  /** Hosts that this fetch may reach in addition to the allowed domains of the rules. */
  alsoAllowed?: readonly string[];
}

/** @throws RunbookError */
export type GuardedFetch = (address: URL, options: FetchOptions) => Promise<string>;

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

type Step = { text: string } | { next: URL };

/**
 * Creates a fetch that only reaches hosts allowed by the rules. For each request, redirects included, the host name is
 * resolved once, all its addresses are checked, and the connection uses one of them. A request through a proxy is
 * checked by its host name alone, because the proxy resolves it and decides which addresses it reaches.
 */
export function createGuardedFetch(deps: GuardedFetchDeps): GuardedFetch {
  return async (address, options) => {
    const signal = AbortSignal.timeout(deps.timeoutMs);
    let url = address;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const step = await fetchOnce(deps, url, options, signal).catch((error: unknown) => {
        throw hop === 0 ? error : afterRedirect(error, url);
      });
      if ('text' in step) return step.text;
      if (url.protocol === 'https:' && step.next.protocol !== 'https:')
        throw new RunbookError('NOT_ALLOWED', `${url.hostname} redirects to an address without encryption`);
      url = step.next;
    }
    const problem = `${address.hostname} redirects more than ${MAX_REDIRECTS} times`;
    throw new RunbookError('TOO_MANY_REDIRECTS', problem);
  };
}

/** Returns the error of a redirect's target. Explains a host that is not allowed, because sign-ins are often elsewhere. */
function afterRedirect(error: unknown, { hostname }: URL): unknown {
  if (!(error instanceof RunbookError) || error.code !== 'NOT_ALLOWED') return error;
  const reason = `it redirects to ${hostname}, perhaps to sign in. ${error.message}`;
  return new RunbookError('NOT_ALLOWED', reason, { cause: error });
}

async function fetchOnce(
  deps: GuardedFetchDeps,
  url: URL,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<Step> {
  checkHop(url, deps.rules, options.alsoAllowed ?? []);
  let proxy: ForwardProxy | null = null;
  try {
    proxy = proxyFor(url);
    const addresses = await checkedAddresses(deps, url, proxy, signal);
    return await request(deps, { url, route: proxy ?? { addresses }, signal, ...options });
  } catch (error) {
    throw asRunbookError(withProxy(error, proxy), { url, proxy, signal });
  }
}

function checkHop(url: URL, rules: RunbookRules, alsoAllowed: readonly string[]): void {
  const allowedDomains = [...rules.allowedDomains, ...alsoAllowed];
  try {
    checkRunbookUrl(url.href, { ...rules, allowedDomains });
  } catch (error) {
    if (error instanceof ValidationError) throw new RunbookError('NOT_ALLOWED', error.message);
    throw error;
  }
}

/**
 * Resolves the host and returns its addresses; none if a proxy resolves the name.
 * @throws RunbookError if any address is not allowed
 */
async function checkedAddresses(
  { rules, network }: GuardedFetchDeps,
  url: URL,
  proxy: ForwardProxy | null,
  signal: AbortSignal,
): Promise<string[]> {
  const literal = literalAddress(url);
  if (literal === null && proxy !== null) return [];
  const addresses = literal === null ? await rejectOnAbort(network.resolve(url.hostname), signal) : [literal];
  const mayBePrivate = isPrivateHost(url, rules);
  for (const address of addresses) {
    const kind = addressKind(address);
    if (kind === 'PUBLIC' || (kind === 'PRIVATE' && mayBePrivate)) continue;
    throw new RunbookError('PRIVATE_ADDRESS', `${url.hostname} does not lead to a public address`);
  }
  if (addresses.length === 0) throw new RunbookError('UNREACHABLE', `${url.hostname} has no address`);
  return addresses;
}

interface RequestOptions extends FetchOptions {
  url: URL;
  /** The proxy, or the checked addresses to connect to. */
  route: ForwardProxy | { addresses: readonly string[] };
  signal: AbortSignal;
}

async function request(
  { githubToken, hostTokens, network }: GuardedFetchDeps,
  { url, route, signal, accept, maxBytes }: RequestOptions,
): Promise<Step> {
  const token =
    githubToken !== null && mayReceiveGithubToken(url, githubToken.repositories)
      ? githubToken.token
      : hostTokenFor(url, hostTokens);
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
  // A client for this request only, so that no connection is reused after the check of its address.
  const limits = { maxResponseSize: Math.max(maxBytes, HTML_MAX_BYTES), pipelining: 1 };
  const client =
    'addresses' in route
      ? new Client(url.origin, { connect: network.connector(route.addresses), ...limits })
      : new ProxyAgent({ uri: route.url, ...limits });
  try {
    const sent = client.request({
      origin: url.origin,
      method: 'GET',
      path: `${url.pathname}${url.search}`,
      headers: { accept, 'accept-encoding': 'gzip', 'user-agent': 'tarsy', ...authorization },
      signal,
    });
    // undici ignores the signal until the connection is open, and waits minutes for a proxy to open one.
    const { statusCode, headers, body } = await rejectOnAbort(sent, signal);
    body.on('error', () => {}); // ignores the error of an unread body, whose connection is closed below
    if (REDIRECTS.has(statusCode)) return { next: redirectTarget(url, headers.location) };
    if (statusCode === 404) throw new RunbookError('NOT_FOUND', `${url.hostname} does not have it (404)`);
    if (statusCode === 401) throw new RunbookError('SIGN_IN', `${url.hostname} requires a sign-in (401)`);
    if (statusCode !== 200) throw new RunbookError('BAD_ANSWER', `${url.hostname} answered ${statusCode}`);
    return { text: await readTextBody(body, headers, maxBytes) };
  } finally {
    await client.destroy();
  }
}

function redirectTarget(url: URL, location: string | string[] | undefined): URL {
  const next = typeof location === 'string' ? URL.parse(location, url) : null;
  if (!next) throw new RunbookError('BAD_ANSWER', `${url.hostname} redirects without a location`);
  return next;
}

/** Returns the result of `work`, or rejects on abort. `work` itself continues, as DNS look-ups cannot be cancelled. */
function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener('abort', abort));
}

interface FailedRequest {
  url: URL;
  proxy: ForwardProxy | null;
  signal: AbortSignal;
}

function asRunbookError(error: unknown, { url: { hostname }, proxy, signal }: FailedRequest): RunbookError {
  if (error instanceof RunbookError) return error;
  const cause = { cause: error };
  const through = proxy === null ? '' : ` through the proxy ${proxy.name}`;
  if (signal.aborted) return new RunbookError('TIMEOUT', `${hostname} took too long${through}`, cause);
  if (error instanceof errors.ResponseExceededMaxSizeError)
    return new RunbookError('TOO_LARGE', `the answer of ${hostname} is too large`, cause);
  const reason = error instanceof ProxyError ? `: ${error.message}` : '';
  return new RunbookError('UNREACHABLE', `${hostname} could not be reached${reason}`, cause);
}
