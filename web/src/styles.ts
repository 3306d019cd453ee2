import createCache, { type EmotionCache } from '@emotion/cache';
import { AdoptedSheet } from './lib/adopted-sheet.ts';

/** Emotion's cache, with a sheet that a strict Content-Security-Policy allows. */
export function createStyleCache(): EmotionCache {
  const cache = createCache({ key: 'css' });
  const { key, container } = cache.sheet;
  // The type names a class with private members; emotion uses no more than what AdoptedSheet has.
  cache.sheet = new AdoptedSheet({ key, container }) as unknown as EmotionCache['sheet'];
  return cache;
}
