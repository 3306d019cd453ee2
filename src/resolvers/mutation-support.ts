import type DataLoader from 'dataloader';
import type { Intake } from '../intake/index.ts';
import type { Context } from '../schema/context.ts';

/**
 * Returns the key if the viewer may see the object, else `null`: invisible and missing objects get the same answer.
 * Clears the loader, because the object is about to change.
 */
export async function seen(
  key: string | null,
  loader: DataLoader<string, object | null>,
): Promise<string | null> {
  if (key === null || (await loader.load(key)) === null) return null;
  loader.clear(key);
  return key;
}

/** Returns the intake of this process. Every process that serves the API has one. */
export function requireIntake({ intake }: Context): Intake {
  if (intake === null) throw new Error('this process takes no deliveries');
  return intake;
}
