import type { IncomingMessage } from 'node:http';

/** Returns the path of the dashboard's URL without trailing slash, such as `/tarsy`; '' if it has none. */
export function subPathOf(dashboardUrl: string): string {
  return new URL(dashboardUrl).pathname.replace(/\/+$/, '');
}

/**
 * Creates the function that makes a request's target independent of the proxy: removes the sub-path that a proxy
 * passes on, and the trailing slash of `/graphql/`. Targets without the sub-path stay, because proxies may strip it.
 */
export function createTargetReader(subPath: string): (req: IncomingMessage) => void {
  return (req) => {
    const { url = '' } = req;
    const rest = url.slice(subPath.length);
    const isBelow = subPath !== '' && url.startsWith(subPath) && rest.startsWith('/');
    req.url = (isBelow ? rest : url).replace(/^\/graphql\/(?=$|\?)/, '/graphql');
  };
}

/** Returns the relative address of the dashboard's root as seen from a page, such as `../` for `/sessions/1`. */
export function rootFrom(url: string): string {
  const slashes = url.split(/[?#]/, 1)[0]!.split('/').length - 1;
  return '../'.repeat(slashes - 1) || './';
}
