import type { IncomingMessage } from 'node:http';
import { type ExecutionResult, GraphQLError } from 'graphql';
import type { GraphqlServer } from '../graphql.ts';

/** Runs an operation of the API as the viewer of the request. @throws OperationError with the API's code and message */
export type Run = <T>(document: string, variables?: Record<string, unknown>) => Promise<T>;

/** An error that the API answers with. The message is written for clients. */
export class OperationError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = 'OperationError';
    this.code = code;
  }
}

/** Returns the function that runs operations for one request, with the limits and the rights of the API. */
export function createRunner(yoga: GraphqlServer, req: IncomingMessage): Run {
  return async <T>(source: string, variables: Record<string, unknown> = {}): Promise<T> => {
    const enveloped = yoga.getEnveloped({ req, isOwn: true, params: { query: source, variables } });
    try {
      const document = enveloped.parse(source);
      const problems = enveloped.validate(enveloped.schema, document);
      if (problems.length > 0) throw problems[0]!;
      const result: ExecutionResult = await enveloped.execute({
        schema: enveloped.schema,
        document,
        variableValues: variables,
        contextValue: await enveloped.contextFactory(),
      });
      if (result.errors?.[0] !== undefined) throw result.errors[0];
      return result.data as T;
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      throw new OperationError(String(error.extensions.code ?? 'INTERNAL'), error.message);
    }
  };
}

/** The fields of a result union that each mutation selects: `... on Error { code message }`. */
export interface Refusable {
  code?: string;
  message?: string;
}

/** Returns the success of a result union. @throws OperationError */
export function succeeded<T extends Refusable>(result: T): T {
  if (result.code !== undefined) throw new OperationError(result.code, result.message ?? '');
  return result;
}
