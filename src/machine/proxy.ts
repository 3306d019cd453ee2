import { connect } from 'node:net';
import { proxyFor } from '../outgoing/proxies.ts';
import { MachineError } from './errors.ts';

/** Time limit (ms) of the connection and the first byte of an answer, which has room for one lost packet. */
const LIMIT_MS = 1_300;

/** An address that stands for pip's default index. */
const SOME_INDEX = 'https://packages.example.com';

/**
 * Checks that the proxy for pip's downloads answers, because pip would try for minutes.
 * @throws MachineError PROXY_UNREACHABLE, without credentials of the proxy's URL
 */
export async function checkProxy(env: NodeJS.ProcessEnv): Promise<void> {
  if (env.PIP_NO_INDEX || env.PIP_PROXY) return;
  const index = URL.parse(env.PIP_INDEX_URL ?? '') ?? new URL(SOME_INDEX);
  const proxy = proxyFor(index, env);
  const problem = proxy === null ? null : await ask(new URL(proxy.url));
  if (problem === null) return;
  throw new MachineError(
    'PROXY_UNREACHABLE',
    `${index.protocol === 'http:' ? 'HTTP' : 'HTTPS'}_PROXY: the proxy at ${proxy?.name} does not answer (${problem}): correct the variable, or unset it if this machine needs no proxy`,
  );
}

/** Returns why the proxy does not answer, or `null`. A proxy that speaks TLS is only connected to. */
function ask({ protocol, hostname, port, host }: URL): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const speaksHttp = protocol === 'http:';
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (speaksHttp ? 80 : 443)),
  });
  const late = setTimeout(() => resolve('no answer'), LIMIT_MS);
  socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  socket.once('connect', () => {
    if (!speaksHttp) return resolve(null);
    // Every HTTP proxy answers this request itself, and be it with an error.
    socket.write(`OPTIONS * HTTP/1.1\r\nHost: ${host}\r\nMax-Forwards: 0\r\nConnection: close\r\n\r\n`);
  });
  socket.once('data', () => resolve(null));
  socket.once('end', () => resolve('closed without an answer'));
  return promise.finally(() => {
    clearTimeout(late);
    socket.destroy();
  });
}
