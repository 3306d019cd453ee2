import { expect, it } from 'vitest';
import { buildOf } from './health.ts';

it('a build has the same name on every page, below every path', () => {
  const page = (src: string) =>
    `<!doctype html><head><script type="module" crossorigin src="${src}"></script></head>`;
  const pages = ['./assets/index-1a.js', '../assets/index-1a.js', '/tarsy/assets/index-1a.js'].map(page);
  expect(pages.map(buildOf)).toEqual(Array(3).fill('index-1a.js'));
  expect(buildOf(page('./assets/index-2b.js'))).toBe('index-2b.js');
  expect(buildOf('<p>a page of a proxy</p>')).toBeNull();
});
