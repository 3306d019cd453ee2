/** Refused by the proxy, unavailable for now, or misconfigured. No part of the request reached its host. */
export type ProxyProblem = 'PROXY_REFUSED' | 'PROXY_UNAVAILABLE' | 'PROXY_INVALID';

/** Thrown if a proxy does not forward a request. The message names the proxy without its password. */
export class ProxyError extends Error {
  readonly code: ProxyProblem;
  constructor(message: string, code: ProxyProblem = 'PROXY_INVALID', options?: ErrorOptions) {
    super(message, options);
    this.name = 'ProxyError';
    this.code = code;
  }
}
