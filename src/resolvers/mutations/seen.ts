import type DataLoader from 'dataloader';

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
