import { globSync } from 'node:fs';
import { ROOT } from '../lib/dev-python.ts';

/** Returns the pages whose commands a reader runs one after the other. Pages of the reference show single commands. */
export const commandPages = (): string[] => [
  'README.md',
  ...globSync('docs/{tutorials,how-to,troubleshooting}/**/*.md', { cwd: ROOT }).toSorted(),
];
