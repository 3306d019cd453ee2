/**
 * Writes the pages of docs/reference that are generated from the code.
 *
 *   node scripts/docs-reference.ts [--check]
 *
 * `--check` writes nothing and exits with 1 if a page is out of date.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { cliPages } from './lib/reference/cli.ts';
import { configurationPages } from './lib/reference/configuration.ts';
import { environmentPage } from './lib/reference/environment.ts';
import { errorPages } from './lib/reference/errors.ts';
import { helmValuesPage } from './lib/reference/helm-values.ts';
import { metricsPage } from './lib/reference/metrics.ts';

const pages = [
  ...(await configurationPages()),
  await environmentPage(),
  ...(await cliPages()),
  await metricsPage(),
  ...(await errorPages()),
  await helmValuesPage(),
];

for (const { path, text } of pages) {
  if (!process.argv.includes('--check')) await writeFile(path, text);
  else if ((await readFile(path, 'utf8').catch(() => '')) !== text) {
    console.error(`${path} is out of date: run npm run docs:reference`);
    process.exitCode = 1;
  }
}
