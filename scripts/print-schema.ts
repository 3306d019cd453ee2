/**
 * Writes the API's full SDL to schema.graphql at the root.
 *
 *   node scripts/print-schema.ts [--check]
 *
 * `--check` writes nothing and exits with 1 if the committed file is out of date or an element has no description.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { printSchema } from 'graphql';
import { schema } from '../src/schema/index.ts';
import { undescribed } from './lib/undescribed.ts';

const target = join(import.meta.dirname, '../schema.graphql');
const sdl = `${printSchema(schema)}\n`;

const silent = undescribed(schema);
if (silent.length > 0) {
  console.error(`These need a description, a sentence each: ${silent.join(', ')}`);
  process.exitCode = 1;
}
if (!process.argv.includes('--check')) {
  writeFileSync(target, sdl);
} else if (read(target) !== sdl) {
  console.error('schema.graphql is out of date: run npm run schema:print');
  process.exitCode = 1;
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
