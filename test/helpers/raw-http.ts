import { request } from 'node:http';

/** A request to be sent as it is. */
export interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
  /** Address to send from, one of loopback. */
  from?: string;
}
export const JSON_HEADERS = { 'content-type': 'application/json' };
export const post = (body: string | Buffer, headers: Record<string, string> = {}): Sent => ({
  method: 'POST',
  headers: { ...JSON_HEADERS, ...headers },
  body,
});
export const graphql = (query: unknown, variables?: unknown, more: object = {}): Sent =>
  post(JSON.stringify({ query, variables, ...more }));
export const get = (params: Record<string, string>): Sent => ({
  path: `/graphql?${new URLSearchParams(params)}`,
});
export const nested = (open: string, depth: number, close = '') => open.repeat(depth) + close.repeat(depth);
export const SUBMIT = 'mutation ($input: SubmitAlertInput!) { submitAlert(input: $input) { __typename } }';

/** Sends it as it is: fetch would mend or refuse much of what hostile clients send. */
export function send(
  port: number,
  { method = 'GET', path = '/graphql', headers = {}, body, from }: Sent,
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
  // Node would write headers as UTF-8, not as the bytes that they are, together with a body of text.
  sent.end(body === undefined ? undefined : Buffer.from(body));
  return promise;
}
