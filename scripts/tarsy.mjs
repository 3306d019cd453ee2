#!/usr/bin/env node
// Starts TARSy with a suitable Node. Plain JavaScript, so that an older Node (18 or newer) can run this launcher.
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addressSpaceProblem } from './lib/address-space.mjs';
import { chooseNode } from './lib/node-binary.mjs';
import { NODE_ENVIRONMENT, nodeOptions } from './lib/node-options.mjs';
import { become } from './lib/run.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const node = chooseNode(root);
const problem = 'problem' in node ? node.problem : addressSpaceProblem();
if (problem !== null) {
  console.error(problem);
  process.exit(1);
}

const cache = join(resolve(process.env.TARSY_HOME || join(root, '.tarsy')), 'cache');

const options = nodeOptions(process.env.NODE_OPTIONS);
become(node.path, [...options, join(root, 'src', 'main.ts'), ...process.argv.slice(2)], {
  NODE_COMPILE_CACHE: cache,
  ...NODE_ENVIRONMENT,
  ...process.env,
});
