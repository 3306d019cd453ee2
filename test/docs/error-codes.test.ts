import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

/** Files that create errors for callers. */
const SOURCES = ['src/common/errors.ts', 'src/intake/errors.ts', 'src/{http,schema,resolvers}/**/*.ts'];

/** Codes of the GraphQL server's library. */
const OF_THE_LIBRARY = [
  'BAD_REQUEST',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'REQUEST_ENTITY_TOO_LARGE',
];

/**
 * Codes that callers of the API never receive: for operators who start the server, and for callers who have
 * disconnected.
 */
const NOT_SENT = ['UNAUTHENTICATED_NETWORK', 'CLIENT_GONE'];

function codesOfSources(): string[] {
  const files = globSync(SOURCES, { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'));
  return files.flatMap((file) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    const places = [...source.matchAll(/\bcode(?::| =| \?\?=)[^;,}\n]*/g)].map(([place]) => place);
    const refused = [...source.matchAll(/\brefuse\(\w+, \d{3}, '([A-Z_]+)'/g)].map(([, code]) => code!);
    return [
      ...refused,
      ...places.flatMap((place) => [...place.matchAll(/'([A-Z][A-Z_]{2,})'/g)].map(([, code]) => code!)),
    ];
  });
}

function codesOfPage(): string[] {
  const page = readFileSync(join(ROOT, 'docs/reference/api-errors.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell]) => cell!);
  return rows.flatMap((cell) => [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code!));
}

test('docs/reference/api-errors.md lists exactly the codes that a client may receive', () => {
  const made = new Set([...codesOfSources(), ...OF_THE_LIBRARY].filter((code) => !NOT_SENT.includes(code)));
  expect(made.size).toBeGreaterThan(15);
  expect([...new Set(codesOfPage())].sort()).toEqual([...made].sort());
});
