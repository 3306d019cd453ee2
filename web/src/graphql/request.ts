import type { TypedDocumentNode } from '@urql/core';
import type { Client } from 'urql';
import { PAST_CACHE } from './client.ts';

/** The server answered, and said that it will not do this. */
export class RefusedError extends Error {}

/**
 * One query past the normalized cache: for answers of thousands of objects that one page folds by itself.
 * @throws RefusedError when the server refuses the query; any other error, SignedOutError included, is worth another attempt
 */
export async function requestOnce<Data, Variables extends object>(
  client: Client,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Data> {
  const { promise, resolve, reject } = Promise.withResolvers<Data>();
  const { unsubscribe } = client.query(document, variables, PAST_CACHE).subscribe(({ data, error }) => {
    // A proxy in front of a server that is away answers with pages of its own.
    if (error?.networkError) reject(error.networkError);
    else if (error) {
      const told = error.graphQLErrors.map(({ message }) => message).join(' ');
      reject(
        (error.response as Response | undefined)?.ok === false ? new Error(told) : new RefusedError(told),
      );
    } else if (data == null) reject(new Error('The server answered without data.'));
    else resolve(data);
  });
  signal?.addEventListener('abort', () => {
    unsubscribe();
    reject(signal.reason);
  });
  return promise;
}
