import type DataLoader from 'dataloader';
import type { Intake } from '../intake/index.ts';
import type { Context } from '../schema/context.ts';

/**
 * The key of an object that who asks may see; null when there is none: what they may not see is answered as what does not
 * exist. What was read is forgotten, as it is about to change.
 */
export async function seen(
  key: string | null,
  loader: DataLoader<string, object | null>,
): Promise<string | null> {
  if (key === null || (await loader.load(key)) === null) return null;
  loader.clear(key);
  return key;
}

/** The intake of this process: every one that serves the API has it. */
export function requireIntake({ intake }: Context): Intake {
  if (intake === null) throw new Error('this process takes no deliveries');
  return intake;
}
