import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

/** Code that an operator runs. Tests and their runners read variables of their own. */
const SOURCES = [
  'src/**/*.ts',
  'scripts/{tarsy.mjs,lib/*.mjs,deploy/*.ts,model/{serve,tarsy,local-model}.ts}',
  'llm-service/llm_service/**/*.py',
];

/** Ways in which the code reads a variable, or names one that it reads. */
const READS = [
  /\b(?:process\.)?(?:env|environ|environment)\.([A-Z][A-Z0-9_]+)\b/g,
  /\bread\(\s*'([A-Z][A-Z0-9_]+)'/g,
  /\b(?:env|environ)\w*(?:\.get\(|\[|,)\s*"([A-Z][A-Z0-9_]+)"/g,
  /\b\w*[eE]nv\w*(?::| =|\?\?|=)\s*['"]([A-Z][A-Z0-9_]+)['"]/g,
];
/** Lists of variable names: constants whose name says it. */
const LISTS =
  /\b(?:[A-Z]+_)*(?:VARIABLES?|EXCEPTIONS|ENVIRONMENT|INHERITED|PASSED)\b[^=;]*= [^;]*?[[({]([^;]*?)[\])}]/g;

/** Variables that every program knows. */
const COMMON = ['PATH', 'HOME', 'TERM', 'NO_COLOR'];

function variablesOfCode(): string[] {
  const files = globSync(SOURCES, { cwd: ROOT }).filter((file) => !/\.test\.ts$|_pb2|\/proto\//.test(file));
  const names = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const lists = [...text.matchAll(LISTS)].flatMap(([, list]) => [
      ...list!.matchAll(/['"]([A-Za-z][A-Za-z0-9_]+)['"]/g),
    ]);
    return [...READS.flatMap((read) => [...text.matchAll(read)]), ...lists].map(([, name]) => name!);
  });
  return [...new Set(names)].filter((name) => !COMMON.includes(name)).sort();
}

test('docs/configuration.md names every environment variable that the code reads', () => {
  const variables = variablesOfCode();
  expect(variables).toEqual(
    expect.arrayContaining(['HTTP_PORT', 'HOST_MCP_CLEAN_DIR', 'GOOGLE_API_KEY', 'GRPC_PORT', 'HTTPS_PROXY']),
  );
  const page = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8');
  expect(variables.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
