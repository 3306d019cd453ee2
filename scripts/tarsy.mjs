#!/usr/bin/env node
// Starts TARSy with the Node that it needs. Plain JavaScript that an older Node (18 or newer) runs too.
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chooseNode } from './lib/node-binary.mjs';
import { become } from './lib/run.mjs';

/**
 * MiB of JavaScript heap. Node's own limit follows the machine, so a small one would fail at a fraction of this, a big one
 * hide a leak for days.
 */
const HEAP_MIB = 2048;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const node = chooseNode(root);
if ('problem' in node) {
  console.error(node.problem);
  process.exit(1);
}

const options = ['--disable-warning=ExperimentalWarning'];
if (!/max-old-space-size/.test(process.env.NODE_OPTIONS ?? ''))
  options.push(`--max-old-space-size=${HEAP_MIB}`);
const cache = join(resolve(process.env.TARSY_HOME || join(root, '.tarsy')), 'cache');

become(node.path, [...options, join(root, 'src', 'main.ts'), ...process.argv.slice(2)], {
  NODE_COMPILE_CACHE: cache,
  ...process.env,
});
