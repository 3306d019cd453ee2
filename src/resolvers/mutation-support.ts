import type DataLoader from 'dataloader';
import { type EngineError, NotFoundError } from '../common/errors.ts';
import type { Intake } from '../intake/index.ts';
import type { Context } from '../schema/context.ts';
import { keyOf } from '../schema/ids.ts';
import { declared, orDeclared } from '../schema/types/errors.ts';

/** Returns the key of a visible object, else `null`. Clears the loader, because the object is about to change. */
export async function seen(
  key: string | null,
  loader: DataLoader<string, object | null>,
): Promise<string | null> {
  if (key === null || (await loader.load(key)) === null) return null;
  loader.clear(key);
  return key;
}

const NAMES = {
  AlertGroup: 'group',
  Approval: 'approval',
  Memory: 'memory',
  Session: 'session',
  Silence: 'silence',
};

/**
 * Changes an object that the viewer may see; otherwise returns NotFoundError.
 * @param errors the error classes that the result of the mutation declares
 */
export async function changeVisible<T, Class extends new (...args: never[]) => EngineError>(
  object: { type: keyof typeof NAMES; id: string; loader: DataLoader<string, object | null> },
  errors: readonly Class[],
  change: (key: string) => Promise<T>,
) {
  const key = await seen(keyOf(object.type, object.id), object.loader);
  if (key === null) return declared(new NotFoundError(`There is no ${NAMES[object.type]} with this id.`));
  return orDeclared(change(key), errors);
}

/** Returns the intake of this process. Every process that serves the API has one. */
export function requireIntake({ intake }: Context): Intake {
  if (intake === null) throw new Error('this process takes no deliveries');
  return intake;
}
