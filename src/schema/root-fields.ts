import type { ObjectRef } from '@pothos/core';
import { NotFoundError } from '../common/errors.ts';
import type { Intake } from '../intake/index.ts';
import { COVERAGE_WITHOUT_SOURCES, type SilenceCoverage } from '../intake/silence-coverage.ts';
import { builder, type Types } from './builder.ts';
import type { Context } from './context.ts';
import { keyOf } from './ids.ts';
import { type LoadedType, loaderOf } from './nodes.ts';
import { declared, type ErrorClass, type MutationResult, orDeclared } from './types/errors.ts';

export function queryById(name: Uncapitalize<LoadedType>, type: ObjectRef<Types, object>, what: string) {
  builder.queryField(name, (t) =>
    t.field({
      type,
      nullable: true,
      description: `${what}; null if there is none with this id.`,
      args: { id: t.arg.id({ required: true, description: 'Global id or UUID.' }) },
      resolve: (_root, { id }, { loaders }) => {
        const key = keyOf(type.name, id);
        return key === null ? null : loaderOf(type.name as LoadedType, loaders).load(key);
      },
    }),
  );
}

/**
 * Returns the key of a visible object, else `null`. Clears the cached row, because the caller is about to change it.
 */
export async function seen(type: LoadedType, id: string, { loaders }: Context): Promise<string | null> {
  const key = keyOf(type, id);
  const loader = loaderOf(type, loaders);
  if (key === null || (await loader.load(key)) === null) return null;
  loader.clear(key);
  return key;
}

interface Change<Class> {
  result: Pick<MutationResult<unknown, Class>, 'errors'>;
  type: LoadedType;
  id: string;
  context: Context;
}

/** Names of types in messages; other types have their own name in lower case. */
const NAMES: Partial<Record<LoadedType, string>> = { AlertGroup: 'group', NotificationDelivery: 'delivery' };

/** Changes an object that the viewer may see; otherwise returns NotFoundError. */
export async function changeVisible<T, Class extends ErrorClass>(
  { result, type, id, context }: Change<Class>,
  change: (key: string) => Promise<T>,
) {
  const key = await seen(type, id, context);
  if (key !== null) return orDeclared(change(key), result);
  const name = NAMES[type] ?? type.toLowerCase();
  return declared(new NotFoundError(`There is no ${name} with this id.`));
}

/** Returns the intake of this process. @throws Error if there is none; each process that serves the API has one */
export function requireIntake({ intake }: Context): Intake {
  if (intake === null) throw new Error('this process takes no deliveries');
  return intake;
}

export function silenceCoverageOf({ intake }: Context): SilenceCoverage {
  return intake?.silenceCoverage ?? COVERAGE_WITHOUT_SOURCES;
}
