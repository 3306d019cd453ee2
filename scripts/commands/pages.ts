import { globSync } from 'node:fs';
import { ROOT } from '../lib/dev-python.ts';

/** Returns the pages whose commands a reader runs: README.md and all pages of the docs. */
export const commandPages = (): string[] => [
  'README.md',
  ...globSync('docs/**/*.md', { cwd: ROOT }).toSorted(),
];
