import { connect } from 'node:net';
import { MachineError } from './errors.ts';

/** Time limits (ms) of the connection, and of the first byte of an answer. */
const CONNECT_MS = 1_500;
const ANSWER_MS = 3_000;

/** Variables that name the proxy of an HTTPS request, in the order in which pip reads them. */
const VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'];
/** With one of these, pip may not use the proxy. */
const EXCEPTIONS = ['no_proxy', 'NO_PROXY', 'PIP_NO_INDEX', 'PIP_PROXY'];

/**
 * Checks that the proxy of the environment answers, because pip would try for minutes.
 * @throws MachineError PROXY_UNREACHABLE, without credentials of the proxy's URL
 */
export async function checkProxy(env: NodeJS.ProcessEnv): Promise<void> {
  const variable = VARIABLES.find((name) => env[name]);
  if (variable === undefined || EXCEPTIONS.some((name) => env[name])) return;
  const text = env[variable] ?? '';
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  if (url === null || url.hostname === '')
    throw unusable(
      `${variable} is no address of a proxy`,
      'set it to one such as http://proxy.example.com:3128',
    );
  const problem = await ask(url);
  if (problem !== null)
    throw unusable(
      `${variable}: the proxy at ${url.host} does not answer (${problem})`,
      'correct the variable, or unset it if this machine needs no proxy',
    );
}

/** Returns why the proxy does not answer, or `null`. A proxy that speaks TLS or SOCKS is only connected to. */
function ask({ protocol, hostname, port, host }: URL): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const speaksHttp = protocol === 'http:';
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (speaksHttp ? 80 : protocol === 'https:' ? 443 : 1080)),
  });
  socket.setTimeout(CONNECT_MS, () => resolve('no answer'));
  socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  socket.once('connect', () => {
    if (!speaksHttp) return resolve(null);
    socket.setTimeout(ANSWER_MS);
    // Every HTTP proxy answers this request itself, and be it with an error.
    socket.write(`OPTIONS * HTTP/1.1\r\nHost: ${host}\r\nMax-Forwards: 0\r\nConnection: close\r\n\r\n`);
  });
  socket.once('data', () => resolve(null));
  socket.once('end', () => resolve('closed without an answer'));
  return promise.finally(() => socket.destroy());
}

const unusable = (problem: string, remedy: string) =>
  new MachineError('PROXY_UNREACHABLE', `${problem}: ${remedy}`);
