import type { z } from 'zod';
import { SendError } from '../../failure.ts';
import type { GuardedRequest, HttpRequest } from '../../guarded-request.ts';

export interface SenderApiOptions {
  request: GuardedRequest;
  /** Base URL, without a slash at its end. */
  url: string;
  headers: Record<string, string>;
  allowPrivate: boolean;
}

export interface Call {
  query?: Record<string, string | readonly string[]>;
  /** Sent as JSON. */
  body?: object;
  /** @default application/json */
  contentType?: string;
}

/** Calls a JSON API and returns the answer in the form of a schema. */
export type SenderApi = <T>(
  schema: z.ZodType<T>,
  to: { method: HttpRequest['method']; path: string } & Call,
  signal: AbortSignal,
) => Promise<T>;

/** Creates a client of a sender's JSON API. Throws SendError. */
export function createSenderApi({ request, url, headers, allowPrivate }: SenderApiOptions): SenderApi {
  return async (schema, { method, path, query = {}, body, contentType = 'application/json' }, signal) => {
    const to = new URL(`${url.replace(/\/+$/, '')}${path}`);
    for (const [name, values] of Object.entries(query))
      for (const value of [values].flat()) to.searchParams.append(name, value);
    const answer = await request(
      {
        ...{ method, url: to, allowPrivate },
        headers: { accept: 'application/json', ...headers, ...(body && { 'content-type': contentType }) },
        ...(body && { body: JSON.stringify(body) }),
      },
      signal,
    );
    const parsed = schema.safeParse(jsonOf(answer));
    if (parsed.success) return parsed.data;
    // Temporary, because the page of a gateway or of a sleeping instance may answer in place of the API.
    throw new SendError(`${to.hostname} answered in an unexpected form.`, { code: 'UNEXPECTED_ANSWER' });
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the header of HTTP basic authentication. */
export function basicAuth(username: string, password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

/** Returns the header of a bearer token. */
export function bearerAuth(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}
