/**
 * Runs the command blocks of README.md, tutorials, how-to and troubleshooting pages, each page in a fresh copy of the repository.
 *
 *   npm run docs:commands                      all pages, 15 to 30 minutes
 *   npm run docs:commands -- docs/tutorials    the pages whose path has this text
 *
 * A comment above a block says why it is not run: `<!-- not run: needs a cluster -->`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, servicePython } from '../lib/dev-python.ts';
import { blocksOf, isCommand, needsServer } from './blocks.ts';
import { commandPages } from './pages.ts';
import { runPage } from './run-page.ts';

const filters = process.argv.slice(2);
const pages = commandPages().filter(
  (page) => filters.length === 0 || filters.some((text) => page.includes(text)),
);
const failed: string[] = [];
let ran = 0;
const skipped: string[] = [];
for (const page of pages) {
  const blocks = blocksOf(readFileSync(join(ROOT, page), 'utf8')).filter(isCommand);
  skipped.push(
    ...blocks.flatMap(({ line, notRun }) => (notRun === null ? [] : [`${page}:${line}: ${notRun}`])),
  );
  const run = blocks.filter(({ notRun }) => notRun === null);
  if (run.length === 0) continue;
  if (run.some(needsServer)) await servicePython();
  const { code } = await runPage({
    ...{ page, blocks: run, onOutput: (text) => process.stdout.write(text) },
    linksPackages: !run.some(({ text }) => /\bnpm ci\b/.test(text)),
  });
  ran += run.length;
  if (code !== 0) failed.push(page);
}
process.stdout.write(`\nNot run:\n${skipped.map((line) => `  ${line}\n`).join('')}`);
process.stdout.write(`\n${ran} blocks of ${pages.length} pages, failed: ${failed.join(', ') || 'none'}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
