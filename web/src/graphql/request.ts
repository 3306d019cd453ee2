import { stringifyDocument, type TypedDocumentNode } from '@urql/core';
import type { SignIn } from './sign-in.ts';

/** The server answered, and said that it will not do this. */
export class RefusedError extends Error {}

/**
 * One query past the normalized cache: for answers of thousands of objects that one page folds by itself.
 * @throws RefusedError when the server refuses the query; any other error, SignedOutError included, is worth another attempt
 */
export async function requestOnce<Data, Variables extends object>(
  signIn: SignIn,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  signal: AbortSignal,
): Promise<Data> {
  const response = await signIn.fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json' },
    body: JSON.stringify({ query: stringifyDocument(document), variables }),
    signal,
  });
  // A proxy in front of a server that is away answers with pages of its own.
  if (response.status >= 500) throw new Error(`The server answers with status ${response.status}.`);
  const answer = (await response.json()) as { data?: Data | null; errors?: { message: string }[] };
  if (answer.errors !== undefined) throw new RefusedError(answer.errors.map((e) => e.message).join(' '));
  if (answer.data == null) throw new Error('The server answered without data.');
  return answer.data;
}
