import type { ObjectRef } from '@pothos/core';
import {
  type AlertTooLargeError,
  type ConflictError,
  EngineError,
  type ForbiddenError,
  type NotFoundError,
  type ShuttingDownError,
  type TooManyAlertsError,
  type ValidationError,
} from '../../common/errors.ts';
import { builder } from '../builder.ts';
import { RoleEnum } from '../enums.ts';

/** An error as a member of a result union. Wrapped, because the executor throws Error objects. */
export interface Declared<E extends EngineError = EngineError> {
  declared: E;
}

type DeclaredClass = new (...args: never[]) => EngineError;
type DeclaredOf<Class extends DeclaredClass> = Class extends DeclaredClass
  ? Declared<InstanceType<Class>>
  : never;

/** Wraps an error that the engine returned, as a member of a result union. */
export function declared<E extends EngineError>(error: E): E extends EngineError ? Declared<E> : never {
  return { declared: error } as E extends EngineError ? Declared<E> : never;
}

/** Returns the result of `work`, or its error if that is one of the `declared` classes. Other errors are thrown. */
export async function orDeclared<T, Class extends DeclaredClass>(
  work: Promise<T>,
  declared: readonly Class[],
): Promise<T | DeclaredOf<Class>> {
  try {
    return await work;
  } catch (error) {
    if (declared.some((type) => error instanceof type)) return { declared: error } as DeclaredOf<Class>;
    throw error;
  }
}

/** Returns the GraphQL type name of a result: the error class, or `success`. */
export function resultTypeName(result: object, success: string): string {
  return 'declared' in result && result.declared instanceof EngineError ? result.declared.name : success;
}

export const ErrorInterface = builder.interfaceRef<Declared>('Error').implement({
  description: 'Every member of a result union that is not its Success.',
  fields: (t) => ({
    message: t.string({
      description: 'Problem and remedy, for people.',
      resolve: ({ declared }) => declared.message,
    }),
    code: t.string({
      description: 'Stable, for machines: docs/api.md lists them.',
      resolve: ({ declared }) => declared.code,
    }),
  }),
});
const interfaces = [ErrorInterface];

export const ValidationErrorRef = builder.objectRef<Declared<ValidationError>>('ValidationError').implement({
  description: 'The input is wrong; code VALIDATION.',
  interfaces,
  fields: (t) => ({
    field: t.string({
      nullable: true,
      description:
        'Path of the wrong part of the input, such as `mcp.servers.0.name`; null for the input as a whole.',
      resolve: ({ declared }) => declared.field,
    }),
  }),
});

export const AlertTooLargeErrorRef = builder
  .objectRef<Declared<AlertTooLargeError>>('AlertTooLargeError')
  .implement({
    description: 'The text of the alert is too large; code ALERT_TOO_LARGE.',
    interfaces,
    fields: (t) => ({
      maxBytes: t.int({
        description: 'Largest accepted size in bytes of UTF-8.',
        resolve: ({ declared }) => declared.maxBytes,
      }),
      actualBytes: t.int({
        description: 'Size that was sent, in bytes of UTF-8.',
        resolve: ({ declared }) => declared.actualBytes,
      }),
    }),
  });

export const TooManyAlertsErrorRef = builder
  .objectRef<Declared<TooManyAlertsError>>('TooManyAlertsError')
  .implement({
    description:
      'The alert was not accepted and may be sent again later. Either too many alerts wait (code QUEUE_FULL), or this sender sent too many within a minute (RATE_LIMITED).',
    interfaces,
    fields: (t) => ({
      retryAfterSeconds: t.int({
        description: 'Seconds to wait before the next attempt.',
        resolve: ({ declared }) => declared.retryAfterSeconds,
      }),
    }),
  });

const NotFoundErrorRef = builder
  .objectRef<Declared<NotFoundError>>('NotFoundError')
  .implement({ description: 'The object named by the input does not exist; code NOT_FOUND.', interfaces });
export const ConflictErrorRef = builder.objectRef<Declared<ConflictError>>('ConflictError').implement({
  description: 'The state of the object does not allow this action; code CONFLICT.',
  interfaces,
});
export const ForbiddenErrorRef = builder.objectRef<Declared<ForbiddenError>>('ForbiddenError').implement({
  description: 'The role, team or token of the viewer does not allow it; code FORBIDDEN.',
  interfaces,
  fields: (t) => ({
    requiredRole: t.field({
      type: RoleEnum,
      nullable: true,
      description: 'Lowest role that is allowed to do this; null if no role is.',
      resolve: ({ declared }) => declared.requiredRole,
    }),
  }),
});
export const ShuttingDownErrorRef = builder
  .objectRef<Declared<ShuttingDownError>>('ShuttingDownError')
  .implement({
    description: 'The process is stopping: send the request again in a few seconds; code SHUTTING_DOWN.',
    interfaces,
  });

const ERRORS = {
  ValidationError: ValidationErrorRef,
  NotFoundError: NotFoundErrorRef,
  ConflictError: ConflictErrorRef,
  ShuttingDownError: ShuttingDownErrorRef,
  TooManyAlertsError: TooManyAlertsErrorRef,
};

type AnyRef = ObjectRef<Types, unknown>;
type Types = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer T> ? T : never;

/** Defines `<mutation>Result`: the success or one of the errors. Every mutation can be forbidden. */
export function mutationResult<Success extends AnyRef, Name extends keyof typeof ERRORS>(
  mutation: string,
  success: Success,
  errors: readonly Name[],
  description = `Result of ${mutation[0]!.toLowerCase()}${mutation.slice(1)}.`,
) {
  type Member = Success | (typeof ERRORS)[Name] | typeof ForbiddenErrorRef;
  const types: Member[] = [success, ...errors.map((name) => ERRORS[name]), ForbiddenErrorRef];
  const resolveType = (result: object) => resultTypeName(result, `${mutation}Success`);
  return builder.unionType(`${mutation}Result`, { description, types, resolveType: resolveType as never });
}

/** Defines an object whose only field returns the row itself, such as the success of a mutation. */
export function wrapperOf<Row>(
  name: string,
  description: string,
  field: Record<string, { type: ObjectRef<Types, Row>; description: string }>,
) {
  const [[key, options]] = Object.entries(field) as [[string, (typeof field)[string]]];
  return builder.objectRef<Row>(name).implement({
    description,
    fields: (t) =>
      ({ [key]: t.field({ ...options, resolve: (row: Row) => row as never } as never) }) as never,
  });
}
