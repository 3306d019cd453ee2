import { ProxyError } from './errors.ts';
import { isDirect } from './no-proxy.ts';

/** A forward proxy that the environment names. */
export interface ForwardProxy {
  /** URL with the user name and password, if the proxy needs them. */
  url: string;
  /** `host:port`, for texts that users read. */
  name: string;
}

const VARIABLES = { 'http:': 'HTTP_PROXY', 'https:': 'HTTPS_PROXY' } as const;
const DEFAULT_PORTS = { 'http:': 80, 'https:': 443 } as const;

/**
 * Returns the proxy for requests to a URL; `null` if they go directly. A variable in lower case takes precedence.
 * @throws ProxyError if the variable does not name an http or https proxy
 */
export function proxyFor(url: URL, env: NodeJS.ProcessEnv = process.env): ForwardProxy | null {
  const protocol = /^(?:https|wss):$/.test(url.protocol) ? 'https:' : 'http:';
  const proxy = readProxy(VARIABLES[protocol], env);
  if (proxy === null) return null;
  const port = Number(url.port) || DEFAULT_PORTS[protocol];
  return isDirect(url.hostname, port, read('NO_PROXY', env)) ? null : proxy;
}

/** True if the environment names a proxy. @throws ProxyError if a variable does not name an http or https proxy */
export function usesProxies(env: NodeJS.ProcessEnv): boolean {
  return Object.values(VARIABLES).filter((variable) => readProxy(variable, env) !== null).length > 0;
}

function readProxy(variable: string, env: NodeJS.ProcessEnv): ForwardProxy | null {
  const value = read(variable, env);
  if (value === '') return null;
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`);
  // Leaves the value out of the message, because it may contain a password.
  if (url === null || !(url.protocol in DEFAULT_PORTS))
    throw new ProxyError(`${variable} must be the URL of an http or https proxy, such as http://proxy:3128`);
  return { url: url.href, name: url.port === '' ? `${url.host}:${defaultPort(url)}` : url.host };
}

function defaultPort({ protocol }: URL): number {
  return DEFAULT_PORTS[protocol as keyof typeof DEFAULT_PORTS];
}

function read(variable: string, env: NodeJS.ProcessEnv): string {
  return (env[variable.toLowerCase()] || env[variable] || '').trim();
}
