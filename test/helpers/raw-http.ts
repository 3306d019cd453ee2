import { request } from 'node:http';

/** A request to send unchanged. */
export interface RawRequest {
  method?: string;
  path?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
  /** Loopback address to send from. */
  from?: string;
}
export const JSON_HEADERS = { 'content-type': 'application/json' };
export const post = (body: string | Buffer, headers: Record<string, string> = {}): RawRequest => ({
  method: 'POST',
  headers: { ...JSON_HEADERS, ...headers },
  body,
});
export const graphql = (query: unknown, variables?: unknown, more: object = {}): RawRequest =>
  post(JSON.stringify({ query, variables, ...more }));
export const get = (params: Record<string, string>): RawRequest => ({
  path: `/graphql?${new URLSearchParams(params)}`,
});
export const nested = (open: string, depth: number, close = '') => open.repeat(depth) + close.repeat(depth);
export const SUBMIT = 'mutation ($input: SubmitAlertInput!) { submitAlert(input: $input) { __typename } }';

/** Sends the request byte by byte as given, because `fetch` would repair or refuse many hostile requests. */
export function sendUnchanged(
  port: number,
  { method = 'GET', path = '/graphql', headers = {}, body, from }: RawRequest,
): Promise<{ status: number; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  const sent = request(
    { host: '127.0.0.1', port, method, path, headers, agent: false, localAddress: from },
    async (response) => {
      const parts = await response.toArray();
      resolve({ status: response.statusCode!, body: Buffer.concat(parts).toString() });
    },
  );
  sent.on('error', reject);
  // Node would write the headers as UTF-8 instead of raw bytes if the body were a string.
  sent.end(body === undefined ? undefined : Buffer.from(body));
  return promise;
}
