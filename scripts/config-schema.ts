/**
 * Writes the JSON Schemas of the configuration files and of cases for editors: deploy/config/*.schema.json.
 *
 *   node scripts/config-schema.ts [--check]
 *
 * `--check` writes nothing and exits with 1 if a file is out of date.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { renderCaseSchema, renderSchemas } from './lib/config-schemas.ts';

for (const { path, text } of [...renderSchemas(), renderCaseSchema()]) {
  if (!process.argv.includes('--check')) await writeFile(path, text);
  else if ((await readFile(path, 'utf8').catch(() => '')) !== text) {
    console.error(`${path} is out of date: run npm run config:schema`);
    process.exitCode = 1;
  }
}
