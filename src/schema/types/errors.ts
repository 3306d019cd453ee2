import type { ObjectFieldsShape, ObjectRef, UnionRef } from '@pothos/core';
import {
  AlertTooLargeError,
  ConflictError,
  EngineError,
  ForbiddenError,
  NotFoundError,
  ShuttingDownError,
  TooManyAlertsError,
  ValidationError,
} from '../../common/errors.ts';
import { builder, type Types } from '../builder.ts';
import { enums } from '../enums.ts';

/** Wraps an error that is a member of a result union, because the executor would throw a plain Error object. */
interface Declared<E extends EngineError = EngineError> {
  declared: E;
}

export type ErrorClass = new (...args: never[]) => EngineError;
type DeclaredOf<Class> = Class extends (new (
  ...args: never[]
) => infer E extends EngineError)
  ? Declared<E>
  : never;

export function declared<E extends EngineError>(error: E): E extends EngineError ? Declared<E> : never {
  return { declared: error } as E extends EngineError ? Declared<E> : never;
}

/** Returns the result of `work`, or its error if the mutation declares it. Other errors are thrown. */
export async function orDeclared<T, Class extends ErrorClass>(
  work: Promise<T>,
  { errors }: Pick<MutationResult<unknown, Class>, 'errors'>,
): Promise<T | DeclaredOf<Class | typeof ForbiddenError>> {
  try {
    return await work;
  } catch (error) {
    if (![...errors, ForbiddenError].some((type) => error instanceof type)) throw error;
    return { declared: error } as DeclaredOf<Class>;
  }
}

const ErrorInterface = builder.interfaceRef<Declared>('Error').implement({
  description: 'Every member of a result union that is not its Success.',
  fields: (t) => ({
    message: t.string({
      description: 'Problem and remedy, for people.',
      resolve: ({ declared }) => declared.message,
    }),
    code: t.string({
      description: 'Stable, for machines: docs/reference/api-errors.md lists them.',
      resolve: ({ declared }) => declared.code,
    }),
  }),
});

type AnyRef = ObjectRef<Types, unknown>;
const errorTypes = new Map<ErrorClass, AnyRef>();

/** Defines the GraphQL object type of an error class, with the same name. */
export function errorType<E extends EngineError>(
  of: new (...args: never[]) => E,
  description: string,
  fields: ObjectFieldsShape<Types, Declared<E>> = () => ({}),
) {
  const options = { description, interfaces: [ErrorInterface as never], fields };
  const ref = builder.objectRef<Declared<E>>(of.name).implement(options);
  errorTypes.set(of, ref);
  return ref;
}

errorType(ValidationError, 'The input is wrong; code VALIDATION.', (t) => ({
  field: t.string({
    nullable: true,
    description:
      'Path of the wrong part of the input, such as `mcp.servers.0.name`; null for the input as a whole.',
    resolve: ({ declared }) => declared.field,
  }),
}));

errorType(AlertTooLargeError, 'The text of the alert is too large; code ALERT_TOO_LARGE.', (t) => ({
  maxBytes: t.int({
    description: 'Largest accepted size in bytes of UTF-8.',
    resolve: ({ declared }) => declared.maxBytes,
  }),
  actualBytes: t.int({
    description: 'Size that was sent, in bytes of UTF-8.',
    resolve: ({ declared }) => declared.actualBytes,
  }),
}));

errorType(
  TooManyAlertsError,
  'The alert was not accepted and may be sent again later. Either too many alerts wait (code QUEUE_FULL), or this sender sent too many within a minute (RATE_LIMITED).',
  (t) => ({
    retryAfterSeconds: t.int({
      description: 'Seconds to wait before the next attempt.',
      resolve: ({ declared }) => declared.retryAfterSeconds,
    }),
  }),
);

errorType(NotFoundError, 'The object named by the input does not exist; code NOT_FOUND.');
export const ConflictErrorRef = errorType(
  ConflictError,
  'The state of the object does not allow this action; code CONFLICT.',
);
errorType(
  ForbiddenError,
  'The role, team or token of the viewer does not allow it; code FORBIDDEN.',
  (t) => ({
    requiredRole: t.field({
      type: enums.Role,
      nullable: true,
      description: 'Lowest role that is allowed to do this; null if no role is.',
      resolve: ({ declared }) => declared.requiredRole,
    }),
  }),
);
errorType(
  ShuttingDownError,
  'The process is stopping: send the request again in a few seconds; code SHUTTING_DOWN.',
);

export interface MutationResult<Success, Class> {
  type: UnionRef<Types, Success | DeclaredOf<Class | typeof ForbiddenError>>;
  errors: readonly Class[];
}

type OnlyField<Row> = Record<string, { type: ObjectRef<Types, Row>; description: string }>;

/** Defines the union `<mutation>Result` of the success and the errors. ForbiddenError is always a member. */
export function mutationResult<Success, Class extends ErrorClass>(
  mutation: string,
  errors: readonly Class[],
  success: ObjectRef<Types, Success> | { description: string; field: OnlyField<Success> },
  description = `Result of ${mutation[0]!.toLowerCase()}${mutation.slice(1)}.`,
): MutationResult<Success, Class> {
  const name = `${mutation}Success`;
  const ref = 'field' in success ? wrapperOf(name, success.description, success.field) : success;
  const types = [ref as AnyRef, ...[...errors, ForbiddenError].map((error) => errorTypes.get(error)!)];
  const resolveType = (result: object) =>
    'declared' in result && result.declared instanceof EngineError ? result.declared.name : name;
  const type = builder.unionType(`${mutation}Result`, {
    description,
    types,
    resolveType: resolveType as never,
  });
  return { type: type as never, errors };
}

/** Defines an object type whose only field returns the row itself, such as the success of a mutation. */
export function wrapperOf<Row>(name: string, description: string, field: OnlyField<Row>) {
  const [[key, options]] = Object.entries(field) as [[string, OnlyField<Row>[string]]];
  return builder.objectRef<Row>(name).implement({
    description,
    fields: (t) =>
      ({ [key]: t.field({ ...options, resolve: (row: Row) => row as never } as never) }) as never,
  });
}
