import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { engineMetrics } from '../../scripts/lib/reference/metrics.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** Names of the metrics of the LLM service, without the ending of counters. */
const OF_THE_SERVICE = [
  ...read('llm-service/llm_service/metrics.py').matchAll(/"(tarsy_llm_service_\w+)"/g),
].map(([, name]) => name!);

const ROWS = globSync('docs/reference/**/*.md', { cwd: ROOT }).flatMap((page) =>
  [
    ...read(page).matchAll(
      /^\| `((?:tarsy|gen_ai|nodejs|process)_\w+)` \| (?:counter|gauge|histogram|summary) \|/gm,
    ),
  ].map(([, name]) => name!),
);

test('every metric has a row on exactly one page of the reference', () => {
  const names = engineMetrics().map(({ name }) => name);
  expect(names).toContain('tarsy_canary_healthy');
  expect(OF_THE_SERVICE).toHaveLength(7);
  const rows = ROWS.map((name) => {
    const base = name.replace(/_total$/, '');
    return OF_THE_SERVICE.includes(base) ? base : name;
  });
  expect(rows.toSorted()).toEqual([...names, ...OF_THE_SERVICE].sort());
});

test('alert rules and dashboards use only metrics that exist', () => {
  const used = globSync('deploy/monitoring/*.{yaml,json}', { cwd: ROOT }).flatMap(
    (file) => read(file).match(/\b(?:tarsy|gen_ai)_[a-z_]+/g) ?? [],
  );
  const known = ROWS.flatMap((name) => [
    name,
    ...['bucket', 'sum', 'count'].map((part) => `${name}_${part}`),
  ]);
  const unknown = used.filter((name) => !known.includes(name) && !name.endsWith('_'));
  expect(used.length).toBeGreaterThan(20);
  expect([...new Set(unknown)]).toEqual([]);
});
