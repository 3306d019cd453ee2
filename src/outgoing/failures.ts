import { ProxyError } from './errors.ts';
import type { ForwardProxy } from './proxies.ts';

const PROXY_AUTHENTICATION_REQUIRED = 407;

/** Codes of connections that were not opened. Through a proxy, the only opened connection is that to the proxy. */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Codes of a proxy that ends or delays the connection before it opened a tunnel. */
const NO_TUNNEL = new Set(['ERR_PROXY_TUNNEL', 'UND_ERR_PRX_CONN']);

/** Returns an error of a request, as a `ProxyError` if the proxy of the request caused it. */
export function withProxy(error: unknown, proxy: ForwardProxy | null): unknown {
  if (proxy === null || !(error instanceof Error) || error instanceof ProxyError) return error;
  const status = statusOf(error);
  if (status !== null) return refusedBy(proxy, status, error);
  const code = 'code' in error ? String(error.code) : '';
  const cause = { cause: error };
  if (UNREACHABLE.has(code))
    return new ProxyError(
      `the proxy ${proxy.name} could not be reached (${code})`,
      'PROXY_UNAVAILABLE',
      cause,
    );
  if (NO_TUNNEL.has(code))
    return new ProxyError(`the proxy ${proxy.name} opened no connection`, 'PROXY_UNAVAILABLE', cause);
  return error;
}

/** Returns the error of a proxy that answered with this status instead of the host of the request. */
export function refusedBy(proxy: ForwardProxy, status: number, cause?: unknown): ProxyError {
  const isUnavailable = status >= 500;
  const problem =
    status === PROXY_AUTHENTICATION_REQUIRED
      ? 'requires another user name or password (407)'
      : `answered ${status} and opened no connection`;
  const code = isUnavailable ? 'PROXY_UNAVAILABLE' : 'PROXY_REFUSED';
  return new ProxyError(`the proxy ${proxy.name} ${problem}`, code, { cause });
}

/** Returns the status with which a proxy refused; `null` for other errors. undici has it in the message alone. */
function statusOf(error: Error): number | null {
  if ('statusCode' in error && 'code' in error && error.code === 'ERR_PROXY_TUNNEL')
    return Number(error.statusCode);
  const found = /^Proxy response \((\d{3})\)|^Proxy Authentication Required \((407)\)/.exec(error.message);
  return found ? Number(found[1] ?? found[2]) : null;
}
