import type { TypedDocumentNode } from '@urql/core';
import type { Client } from 'urql';
import { UNCACHED } from './client.ts';

/** Thrown if the server answered and refused the request, so that a retry cannot help. */
export class RefusedError extends Error {}

/**
 * Sends one query without cache and retries.
 * @throws RefusedError if the server refuses; every other error, SignedOutError included, can be retried
 */
export async function requestOnce<Data, Variables extends object>(
  client: Client,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Data> {
  const { promise, resolve, reject } = Promise.withResolvers<Data>();
  const { unsubscribe } = client.query(document, variables, UNCACHED).subscribe(({ data, error }) => {
    // Errors with an HTTP failure are no refusal, because a proxy may answer in place of an unavailable
    // server.
    if (error?.networkError) reject(error.networkError);
    else if (error) {
      const message = error.graphQLErrors.map(({ message }) => message).join(' ');
      reject(
        (error.response as Response | undefined)?.ok === false
          ? new Error(message)
          : new RefusedError(message),
      );
    } else if (data == null) reject(new Error('The server returned no data.'));
    else resolve(data);
  });
  signal?.addEventListener('abort', () => {
    unsubscribe();
    reject(signal.reason);
  });
  return promise;
}
