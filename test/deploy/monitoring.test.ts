import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { type Manifest, ROOT } from './render.ts';

const DIR = join(ROOT, 'deploy/monitoring');
const RULES = readFileSync(join(DIR, 'prometheus-rules.yaml'), 'utf8');
const DASHBOARD = readFileSync(join(DIR, 'grafana-dashboard.json'), 'utf8');

/** Path of promtool from the PATH or `.ci/run`; `null` if there is none. */
const PROMTOOL = ['promtool', join(ROOT, '.tarsy/tools/promtool')].find(
  (each) => (!each.startsWith('/') || existsSync(each)) && spawnSync(each, ['--version']).status === 0,
);

let app: TestApp;
let known: Set<string>;
beforeAll(async () => {
  app = await startTestApp();
  const page = await (await fetch(`${app.url}/metrics`)).text();
  const reference = readFileSync(join(ROOT, 'docs/reference/metrics.md'), 'utf8'); // also has those that need a setting
  const service = readFileSync(join(ROOT, 'llm-service/llm_service/metrics.py'), 'utf8');
  known = new Set([
    ...[...page.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!),
    ...[...reference.matchAll(/`(tarsy_\w+)`/g)].map(([, name]) => name!),
    ...[...service.matchAll(/"(tarsy_\w+)"/g)].map(([, name]) => name!),
  ]);
});
afterAll(() => app.stop());

/** Returns the metric names in the expressions of a text, without histogram suffixes. */
function metricsIn(text: string): string[] {
  const names = text.match(/\b(?:tarsy|gen_ai|nodejs|process)_\w+/g) ?? [];
  return [...new Set(names)].map((name) => name.replace(/_(?:bucket|sum|count)$/, ''));
}

test.each([
  ['rules', RULES],
  ['dashboard', DASHBOARD],
])('every metric of the %s is one that we have', (_, text) => {
  const names = metricsIn(text);
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !known.has(name) && !known.has(name.replace(/_total$/, '')))).toEqual([]);
});

test('the dashboard shows every metric of TARSy', () => {
  const shown = new Set(metricsIn(DASHBOARD));
  const exempt = [/^tarsy_(http_duration|graphql_operations|workers_active|llm_service_)/];
  const missing = [...known].filter((name) => name.startsWith('tarsy_') && !shown.has(name));
  expect(missing.filter((name) => !exempt.some((pattern) => pattern.test(name)))).toEqual([]);
});

test('every alert links to an existing section that says what to do', () => {
  const page = readFileSync(join(ROOT, 'docs/troubleshooting/alert-rules.md'), 'utf8');
  const headings = new Set([...page.matchAll(/^#+ (.+)$/gm)].map(([, title]) => title!.toLowerCase()));
  const rules = parse(RULES).groups.flatMap((group: Manifest) => group.rules);
  for (const { alert, annotations } of rules) {
    const section = `troubleshooting/alert-rules.md#${alert.toLowerCase()}`;
    expect(annotations.remedy).toBe(`docs/${section}`);
    const address = `{{ with $externalLabels.runbooks_of_tarsy }}{{ . }}/${section}{{ end }}`;
    expect(annotations).toMatchObject({ runbook_url: address });
    expect(annotations).not.toHaveProperty('runbook'); // TARSy takes this one for an address, too
    expect(headings).toContain(alert.toLowerCase());
  }
});

test.skipIf(!PROMTOOL)('the rules fire when they should (skipped without promtool)', () => {
  const check = spawnSync(PROMTOOL!, ['check', 'rules', 'prometheus-rules.yaml'], {
    cwd: DIR,
    encoding: 'utf8',
  });
  expect(check.stdout + check.stderr).toContain('SUCCESS: 12 rules found');
  const tested = spawnSync(PROMTOOL!, ['test', 'rules', 'prometheus-rules.test.yaml'], {
    cwd: DIR,
    encoding: 'utf8',
  });
  expect(tested.stderr).toBe('');
  expect(tested.status).toBe(0);
});

test('every rule has a test', () => {
  const tests = readFileSync(join(DIR, 'prometheus-rules.test.yaml'), 'utf8');
  for (const [, name] of RULES.matchAll(/- alert: (\w+)/g)) {
    expect(tests).toMatch(new RegExp(`alertname: ${name}\\n\\s+exp_alerts:\\n\\s+- exp_labels`));
  }
});
