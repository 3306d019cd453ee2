import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { VARIABLE_GROUPS } from '../../src/config/variables.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

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
  /\benvVariable\([^)]*\)\.prefault\('([A-Z][A-Z0-9_]+)'/g,
];
/** Lists of variable names: constants whose name says it. */
const LISTS =
  /\b(?:[A-Z]+_)*(?:VARIABLES?|EXCEPTIONS|ENVIRONMENT|INHERITED|PASSED|FOR_TARSY|FOR_SIGN_IN)\b[^=;]*= [^;]*?[[({]([^;]*?)[\])}]/g;

/** Variables that every program knows. */
const COMMON = ['PATH', 'HOME', 'TERM', 'NO_COLOR'];
const DECLARED = Object.values(VARIABLE_GROUPS).flatMap((group) => Object.keys(group));

function variablesOfCode(): string[] {
  const files = globSync(SOURCES, { cwd: ROOT }).filter((file) => !/\.test\.ts$|_pb2|\/proto\//.test(file));
  const names = files.flatMap((file) => {
    const text = read(file);
    const lists = [...text.matchAll(LISTS)].flatMap(([, list]) => [
      ...list!.matchAll(/['"]([A-Za-z][A-Za-z0-9_]+)['"]/g),
    ]);
    return [...READS.flatMap((reading) => [...text.matchAll(reading)]), ...lists].map(([, name]) => name!);
  });
  return [...new Set(names)].filter((name) => !COMMON.includes(name)).sort();
}

test('every environment variable that the code reads is declared', () => {
  const variables = variablesOfCode();
  expect(variables).toEqual(
    expect.arrayContaining([
      'HTTP_PORT',
      'HOST_MCP_CLEAN_DIR',
      'GOOGLE_API_KEY',
      'GRPC_PORT',
      'GITHUB_TOKEN',
    ]),
  );
  expect(variables.filter((name) => !DECLARED.includes(name))).toEqual([]);
});

test('code or deployment files use every declared variable', () => {
  const files = globSync([...SOURCES, 'deploy/compose/compose.yaml'], { cwd: ROOT });
  const others = files.filter((file) => !/\.test\.ts$|config\/variables\.ts$/.test(file));
  const words = new Set(others.flatMap((file) => read(file).match(/\b[A-Z][A-Z0-9_]+\b/g) ?? []));
  expect(DECLARED.filter((name) => !words.has(name))).toEqual([]);
});

test('every environment variable has a row on exactly one page of the reference', () => {
  const rows = globSync('docs/reference/**/*.md', { cwd: ROOT }).flatMap((page) =>
    [...read(page).matchAll(/^\| `([A-Z][A-Z0-9_]+)`/gm)].map(([, name]) => name!),
  );
  expect(rows.filter((name) => DECLARED.includes(name)).sort()).toEqual([...DECLARED].sort());
});
