import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { KnownDocuments } from './known-documents.ts';

const METHODS: readonly string[] = ['GET', 'POST'];
const NO_QUERY = 'The request contains no `query`. Send the GraphQL document as `query`.';
const WRONG_METHOD =
  'GraphQL requests are GET or POST. An event stream serves one operation: in graphql-sse, set `singleConnection: false`.';

/**
 * Checks the method of a request and that it contains a document. Treats an empty operation name as none. A persisted
 * query stands for a known document; otherwise the answer is the code after which clients send the whole document.
 */
export function requestParams(known: Pick<KnownDocuments, 'textOf'> | null): Plugin {
  return {
    onRequestParse({ request }) {
      if (!METHODS.includes(request.method)) throw badRequest(405, WRONG_METHOD);
    },
    onParams({ params, setParams }) {
      if (!isObject(params) || Array.isArray(params)) return; // yoga refuses what is not an object
      const { query, operationName, extensions } = params;
      if (!query && isObject(extensions) && isObject(extensions.persistedQuery)) {
        const text = known?.textOf(String(extensions.persistedQuery.sha256Hash)) ?? null;
        if (text === null) throw persistedQueryNotSupported();
        return setParams({ ...params, query: text, operationName: operationName || undefined } as never);
      }
      if (query == null) throw badRequest(400, NO_QUERY);
      if (operationName === '') setParams({ ...params, operationName: undefined } as never);
    },
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function persistedQueryNotSupported(): GraphQLError {
  return new GraphQLError('PersistedQueryNotSupported', {
    // `spec`: 200 for clients that accept only application/json, because several of them read no body of a 400.
    extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED', http: { status: 400, spec: true } },
  });
}

function badRequest(status: number, message: string): GraphQLError {
  const http = { status, headers: { Allow: METHODS.join(', ') } };
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http } });
}
