import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { DELIVERY_ERRORS, REQUEST_ERRORS, RESULT_ERRORS } from '../../src/common/error-codes/api.ts';
import { CLIENT_ERRORS, MACHINE_ERRORS, SETTINGS_ERRORS } from '../../src/common/error-codes/commands.ts';
import { LLM_ENGINE_ERRORS, LLM_SERVICE_ERRORS } from '../../src/common/error-codes/llm.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const sourcesOf = (...patterns: string[]) =>
  globSync(patterns, { cwd: ROOT })
    .filter((file) => !file.endsWith('.test.ts'))
    .map(read);
const sorted = (codes: Iterable<string>) => [...new Set(codes)].sort();

const API = Object.keys({ ...RESULT_ERRORS, ...REQUEST_ERRORS, ...DELIVERY_ERRORS });
const START = Object.keys({ ...SETTINGS_ERRORS, ...MACHINE_ERRORS });
const CLIENT = Object.keys(CLIENT_ERRORS);
const SERVICE = Object.keys(LLM_SERVICE_ERRORS);
const LLM = [...SERVICE, ...Object.keys(LLM_ENGINE_ERRORS)];

/** Codes of the GraphQL server's library. */
const OF_THE_LIBRARY = [
  'BAD_REQUEST',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'REQUEST_ENTITY_TOO_LARGE',
];
/** Code of an answer to a caller who has disconnected. */
const NOT_SENT = 'CLIENT_GONE';

test('the codes of the API are exactly those that the code answers with', () => {
  const files = ['src/common/errors.ts', 'src/intake/errors.ts', 'src/{http,schema,resolvers}/**/*.ts'];
  const codes = sourcesOf(...files).flatMap((source) => {
    const places = [...source.matchAll(/\bcode(?::| =| \?\?=)[^;,}\n]*/g)].map(([place]) => place);
    const refused = [...source.matchAll(/\brefuse\(\w+, \d{3}, '([A-Z_]+)'/g)].map(([, code]) => code!);
    const statuses = /STATUS_OF = \{([^}]*)\}/.exec(source)?.[1] ?? '';
    return [
      ...refused,
      ...[...statuses.matchAll(/\b([A-Z_]{3,}):/g)].map(([, code]) => code!),
      ...places.flatMap((place) => [...place.matchAll(/'([A-Z][A-Z_]{2,})'/g)].map(([, code]) => code!)),
    ];
  });
  const sent = [...codes, ...OF_THE_LIBRARY].filter((code) => code !== NOT_SENT && !START.includes(code));
  expect(sorted(sent)).toEqual(sorted(API));
});

test('the codes of a start are exactly those of its errors', () => {
  const classes = sourcesOf('src/{config,db,start}/**/*.ts', 'src/http/auth.ts').flatMap((source) =>
    [...source.matchAll(/readonly code = '([A-Z_]+)'/g)].map(([, code]) => code!),
  );
  const [proxies = ''] = /type ProxyProblem = [^;]+/.exec(read('src/outgoing/errors.ts')) ?? [];
  const thrown = sourcesOf('src/machine/**/*.ts').flatMap((source) =>
    [...source.matchAll(/new MachineError\(\s*'([A-Z_]+)'/g)].map(([, code]) => code!),
  );
  expect(sorted([...classes, ...(proxies.match(/\b[A-Z_]{3,}\b/g) ?? [])])).toEqual(
    sorted(Object.keys(SETTINGS_ERRORS)),
  );
  expect(sorted(thrown)).toEqual(sorted(Object.keys(MACHINE_ERRORS)));
});

test('the codes of the commands are those of the server, and their own', () => {
  const codes = sourcesOf('src/cli/**/*.ts').flatMap((source) =>
    [...source.matchAll(/new CliError\(\s*[^,]+,\s*(?:'([A-Z_]+)'|`([A-Z]+)_\$)/g)].map(
      ([, code, prefix]) => code ?? prefix!,
    ),
  );
  const own = sorted(codes).filter((code) => !API.includes(code));
  const ofCases = ['CASE_INVALID', 'CASE_TOO_LARGE', 'OTHER_PLAN', 'RESULTS_INVALID'];
  const ofFiles = ['FILE_UNREADABLE', 'FOLDER_UNUSABLE'];
  expect(own).toEqual(sorted([...ofCases, ...ofFiles, 'UNREACHABLE', 'USAGE', 'WS']));
  expect(read('src/cli/api.ts')).toContain('`HTTP_$');
  expect(CLIENT.map((code) => code.replace(/_<.*/, '')).sort()).toEqual(sorted([...own, 'HTTP']));
});

test('the codes of model calls are exactly those of the LLM service and its client', () => {
  const service = [...read('llm-service/llm_service/errors.py').matchAll(/= _kind\("(\w+)"/g)];
  expect(sorted(service.map(([, code]) => code!))).toEqual(sorted(SERVICE));
  const client = sourcesOf('src/engine/model/*.ts', 'src/engine/agent/**/*.ts').flatMap((source) => [
    ...source.matchAll(/(?:new LlmError\(|\bmake\(|\bsilent\(|readonly code = )\s*'([a-z_]+)'/g),
  ]);
  const engine = sorted(client.map(([, code]) => code!)).filter((code) => !SERVICE.includes(code));
  expect(engine).toEqual(sorted(Object.keys(LLM_ENGINE_ERRORS)));
});

test('every code has a row, with cause and remedy, on exactly one page of the reference', () => {
  const rows = globSync('docs/reference/**/*.md', { cwd: ROOT }).flatMap((page) =>
    [...read(page).matchAll(/^\| code \|(?:.*\|)? cause \| remedy \|\n\|[- |]+\n((?:\|.*\n)+)/gm)].flatMap(
      ([, body]) =>
        [...body!.matchAll(/^\| `([^`]+)` \|(?:.*\|)? [^|]+ \| [^|]+ \|$/gm)].map(([, code]) => code!),
    ),
  );
  expect(rows.toSorted()).toEqual([...API, ...START, ...CLIENT, ...LLM].sort());
});
