import { lookup } from 'node:dns';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { TLSSocket } from 'node:tls';
import { z } from 'zod';
import { systemCode, ToolFailure } from '../tool/failure.ts';
import { cleanText, formatBytes } from '../tool/output.ts';
import type { ServerTool } from '../tool/tool.ts';
import { defaultPort, type HostConfig } from './config.ts';

const TIMEOUT_MS = 10_000;
/** Maximum size of the shown body (bytes), enough to understand a health or error page. */
const BODY_BYTES = 4 * 1024;
/** Response headers that are shown. Cookies and other possible credentials are left out. */
const SHOWN_HEADERS = [
  'content-type',
  'content-length',
  'server',
  'date',
  'location',
  'retry-after',
  'cache-control',
  'via',
];

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const input = z.strictObject({
  url: z
    .string()
    .min(1)
    .max(2048)
    .describe('http or https URL of a service on this host, e.g. http://127.0.0.1:8080/health.'),
  method: z.enum(['GET', 'HEAD']).default('GET').describe('HEAD asks for the headers only.'),
});

export function httpProbeTool(config: HostConfig): ServerTool<typeof input> {
  return {
    name: 'http_probe',
    title: 'HTTP probe',
    description:
      'Sends one HTTP(S) request (GET or HEAD) to a service on this host (loopback) or a configured target and shows status code, latency, headers, ' +
      'TLS certificate and the beginning of the body. Redirects are not followed. Use it for a service down, health check failing, connection refused, ' +
      'timeout, HTTP 5xx errors, slow responses, certificate expiry.',
    input,
    openWorld: true,
    run: async ({ url, method }, signal) => probe(allowedUrl(config, url), method, signal),
  };
}

interface Target {
  url: URL;
  loopbackOnly: boolean;
}

function allowedUrl(config: HostConfig, text: string): Target {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new ToolFailure('BAD_INPUT', `"${text}" is no http or https URL.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ToolFailure('BAD_INPUT', 'A URL with a user name or password is not asked.');
  }
  const port = url.port === '' ? defaultPort(url.protocol) : url.port;
  const configured = config.probeTargets.some(
    (target) =>
      target.hostname === url.hostname &&
      (target.port === null || target.port === port) &&
      (target.protocol === null || target.protocol === url.protocol),
  );
  if (configured) return { url, loopbackOnly: false };
  if (url.hostname === 'localhost' || isLoopback(url.hostname.replace(/^\[|\]$/g, '')))
    return { url, loopbackOnly: true };
  const names = config.probeTargets.map(
    (target) => target.hostname + (target.port === null ? '' : `:${target.port}`),
  );
  throw new ToolFailure(
    'NOT_ALLOWED',
    `${url.host} may not be asked: only loopback (127.0.0.1, localhost)${names.length > 0 ? ` and ${names.join(', ')}` : ''}.`,
  );
}

function isLoopback(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Resolves names like the system but returns only loopback addresses. */
const loopbackLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const local = error ? [] : addresses.filter(({ address }) => isLoopback(address));
    const first = local[0];
    if (error || first === undefined) {
      callback(
        error ?? Object.assign(new Error(`${hostname} is not loopback here`), { code: 'ENOTFOUND' }),
        '',
        4,
      );
    } else if (options.all) callback(null, local);
    else callback(null, first.address, first.family);
  });
};

async function probe(
  { url, loopbackOnly }: Target,
  method: 'GET' | 'HEAD',
  signal: AbortSignal,
): Promise<string> {
  const started = performance.now();
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  const took = () => `${(performance.now() - started).toFixed(0)} ms`;
  try {
    const response = await send(url, method, loopbackOnly, AbortSignal.any([signal, deadline]));
    const headersAfter = took();
    const certificate = describeCertificate(response);
    const body = method === 'HEAD' ? null : await readBody(response);
    return [
      `${method} ${url.href}`,
      `status ${response.statusCode} ${response.statusMessage ?? ''} (HTTP/${response.httpVersion}), headers after ${headersAfter}, done after ${took()}`,
      ...certificate,
      ...SHOWN_HEADERS.filter((name) => name in response.headers).map(
        (name) => `${name}: ${String(response.headers[name])}`,
      ),
      ...(body === null ? [] : describeBody(body, response.headers)),
    ].join('\n');
  } catch (error) {
    signal.throwIfAborted();
    // An unreachable service is returned as a normal result, because that is a finding and not a failure of the tool.
    const reason = deadline.aborted
      ? `no answer within ${TIMEOUT_MS / 1000} s (timeout)`
      : describeError(error);
    return `${method} ${url.href}\nno response after ${took()}: ${reason}`;
  }
}

function send(
  url: URL,
  method: string,
  loopbackOnly: boolean,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const common = {
    method,
    signal,
    agent: false as const,
    headers: { accept: '*/*', 'user-agent': 'tarsy-host-probe' },
    ...(loopbackOnly ? { lookup: loopbackLookup } : {}),
  };
  // An invalid certificate is accepted and reported; the request contains no secrets.
  const request =
    url.protocol === 'https:'
      ? httpsRequest(url, { ...common, rejectUnauthorized: false })
      : httpRequest(url, common);
  request.once('response', resolve);
  request.once('error', reject);
  request.end();
  return promise;
}

function describeError(error: unknown): string {
  const reasons: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'connection refused, nothing listens on this port (ECONNREFUSED)',
    ECONNRESET: 'connection closed by the service before it answered (ECONNRESET)',
    ENOTFOUND: 'the host name does not resolve (ENOTFOUND)',
    EHOSTUNREACH: 'no route to the host (EHOSTUNREACH)',
    ETIMEDOUT: 'the connection timed out (ETIMEDOUT)',
    EPROTO: 'the TLS handshake failed: the port may not speak HTTPS (EPROTO)',
  };
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  const code = systemCode(inner);
  if (code !== null) return reasons[code] ?? code;
  return inner instanceof Error ? inner.message : 'unknown error';
}

function describeCertificate(response: IncomingMessage): string[] {
  if (!(response.socket instanceof TLSSocket)) return [];
  const certificate = response.socket.getPeerCertificate();
  const problem = response.socket.authorizationError;
  const trust = response.socket.authorized ? 'trusted' : `NOT trusted (${String(problem)})`;
  const days = Math.floor((Date.parse(certificate.valid_to) - Date.now()) / 86_400_000);
  return [`certificate: ${trust}, valid until ${certificate.valid_to} (${days} days left)`];
}

async function readBody(response: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response) {
    parts.push(part);
    bytes += part.length;
    if (bytes > BODY_BYTES) break;
  }
  return Buffer.concat(parts);
}

function describeBody(body: Buffer, headers: IncomingHttpHeaders): string[] {
  if (body.length === 0) return ['body: empty'];
  const isText = /text|json|xml|javascript|urlencoded|^$/i.test(headers['content-type'] ?? '');
  if (!isText || headers['content-encoding'] !== undefined) return ['body: not text, not shown'];
  const note = body.length > BODY_BYTES ? ` (first ${formatBytes(BODY_BYTES)})` : '';
  return [`body${note}:`, cleanText(body.subarray(0, BODY_BYTES).toString())];
}
