import { type AgentOptions, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type ForwardProxy, proxyFor } from './proxies.ts';

/** Connections of a request with `node:http` or `node:https`. */
export interface Route {
  agent: HttpAgent;
  /** `null` if the request goes directly. */
  proxy: ForwardProxy | null;
}

/** Returns the route of requests to a URL. Requests with equal routes share connections. @throws ProxyError */
export type FindRoute = (url: URL) => Route;

export function createRoutes(options: AgentOptions): FindRoute {
  const routes = new Map<string, Route>();
  return (url) => {
    const proxy = proxyFor(url);
    const isTls = /^(?:https|wss):$/.test(url.protocol);
    const key = `${isTls} ${proxy?.url ?? ''}`;
    const known = routes.get(key);
    if (known) return known;
    const proxyEnv = proxy && { [isTls ? 'HTTPS_PROXY' : 'HTTP_PROXY']: proxy.url };
    const all = proxyEnv ? { ...options, proxyEnv } : options;
    const route = { agent: isTls ? new HttpsAgent(all) : new HttpAgent(all), proxy };
    routes.set(key, route);
    return route;
  };
}
