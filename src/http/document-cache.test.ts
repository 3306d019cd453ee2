import { expect, it } from 'vitest';
import { createDocumentCache } from './document-cache.ts';

it('keeps a limited number of short documents, the most recently used ones', () => {
  const cache = createDocumentCache<number>({ entries: 2, length: 3 });
  cache.set('a', 1);
  cache.set('b', 2);
  expect(cache.get('a')).toBe(1);
  cache.set('c', 3);
  cache.set('long', 4);
  expect(['a', 'b', 'c', 'long'].map((key) => cache.get(key))).toEqual([1, undefined, 3, undefined]);
});
