import { Agent, Dispatcher, ProxyAgent } from 'undici';
import { withProxy } from './failures.ts';
import { type ForwardProxy, proxyFor } from './proxies.ts';

/** Sends each request of `fetch` through the proxy of its URL, or directly. Errors of a proxy name it. */
export class OutgoingDispatcher extends Dispatcher {
  readonly #direct = new Agent();
  readonly #proxied = new Map<string, ProxyAgent>();

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const proxy = proxyFor(new URL(String(options.origin)));
    if (proxy === null) return this.#direct.dispatch(options as Agent.DispatchOptions, handler);
    const onError = handler.onResponseError;
    handler.onResponseError = (controller, error) =>
      onError?.call(handler, controller, withProxy(error, proxy) as Error);
    return this.#agentOf(proxy).dispatch(options as Agent.DispatchOptions, handler);
  }

  override async close(): Promise<void> {
    await Promise.all([this.#direct, ...this.#proxied.values()].map((agent) => agent.close()));
  }

  override async destroy(): Promise<void> {
    await Promise.all([this.#direct, ...this.#proxied.values()].map((agent) => agent.destroy()));
  }

  #agentOf({ url }: ForwardProxy): ProxyAgent {
    const agent = this.#proxied.get(url) ?? new ProxyAgent(url);
    this.#proxied.set(url, agent);
    return agent;
  }
}

/** Returns the dispatcher of a WebSocket to this URL; `null` if no proxy carries it. WebSockets need HTTP/1.1. */
export function webSocketDispatcher(url: URL): Dispatcher | null {
  const proxy = proxyFor(url);
  return proxy && new ProxyAgent({ uri: proxy.url, allowH2: false });
}
