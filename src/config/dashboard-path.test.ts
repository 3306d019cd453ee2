import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { loadText } from '../../test/fixtures/config/load-text.ts';

const load = (path: string) => loadText(`system: { dashboard_url: "https://tarsy.example.com${path}" }\n`);

const APP = readFileSync(resolve(import.meta.dirname, '../../web/src/app.tsx'), 'utf8');
const PAGES = [...APP.matchAll(/^ {2}'(\/[a-z]+)/gm)].map(([, path]) => path!);

test.each([
  ...new Set(PAGES),
  '/assets/',
  '/auth',
  '/graphql',
  '/health',
  '/mcp',
  '/metrics',
  '/slack',
  '/webhooks/',
])("%s is refused as a proxy's path, because TARSy has it itself", async (path) => {
  await expect(load(path)).rejects.toThrow(
    `system.dashboard_url: ${path} is a path of TARSy itself: choose another, such as /tarsy`,
  );
});

test.each(['', '/', '/tarsy', '/tools/graphql', '/system/tarsy/', '/graphql2'])(
  '%j is a path that a proxy may serve',
  async (path) => {
    const { system } = await load(path);
    expect(system.dashboardUrl).toBe(`https://tarsy.example.com${path.replace(/\/$/, '')}`);
  },
);
