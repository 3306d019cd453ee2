import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { requiredBy, runServerScenario } from './run.ts';

const DOCS = resolve(import.meta.dirname, '../../docs/reference/mcp-conformance.md');

const TEST_SERVER = 'needs tools or resources of a test server';
const NOT_OFFERED = 'TARSy offers no prompts, completions or log levels';
const SESSION = 'needs a session, which TARSy does not keep';

const all = (scenarios: string[], reason: string | null) =>
  Object.fromEntries(scenarios.map((scenario) => [scenario, reason]));

const PROMPTS = ['list', 'get-simple', 'get-with-args', 'get-embedded-resource', 'get-with-image'].map(
  (name) => `prompts-${name}`,
);
const CALLS = [
  'simple-text',
  'image',
  'audio',
  'embedded-resource',
  'mixed-content',
  'error',
  'with-progress',
].map((name) => `tools-call-${name}`);
const READS = ['resources-read-text', 'resources-read-binary', 'resources-templates-read'];
const ASKS = [
  ...['basic-elicitation', 'basic-sampling', 'basic-list-roots', 'request-state', 'multiple-input-requests'],
  ...['multi-round', 'missing-input-response', 'non-tool-request', 'result-type', 'tampered-state'],
  ...['capability-check', 'ignore-extra-params', 'validate-input'],
].map((name) => `input-required-result-${name}`);

/** The required server scenarios of each revision: `null` if met, otherwise the reason why it is left out. */
const SERVER: Record<string, Record<string, string | null>> = {
  '2025-11-25': {
    ...all(['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection'], null),
    ...all(['logging-set-level', 'completion-complete', ...PROMPTS], NOT_OFFERED),
    ...all(['server-sse-multiple-streams', 'resources-subscribe', 'resources-unsubscribe'], SESSION),
    ...all([...CALLS, ...READS, 'tools-call-with-logging', 'tools-call-sampling'], TEST_SERVER),
    ...all(
      ['tools-call-elicitation', 'elicitation-sep1034-defaults', 'elicitation-sep1330-enums'],
      TEST_SERVER,
    ),
  },
  '2026-07-28': {
    ...all(['tools-list', 'resources-list', 'sep-2164-resource-not-found', 'dns-rebinding-protection'], null),
    ...all(['server-sse-multiple-streams', 'input-required-result-unsupported-methods'], null),
    ...all(['completion-complete', 'caching', ...PROMPTS], NOT_OFFERED),
    ...all(['server-stateless', ...CALLS, ...READS, ...ASKS], TEST_SERVER),
  },
};

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

describe.each(Object.entries(SERVER))('MCP server of %s', (revision, scenarios) => {
  const met = Object.entries(scenarios).flatMap(([name, reason]) => (reason === null ? [name] : []));

  it('lists every required scenario as met or left out with a reason', async () => {
    expect(Object.keys(scenarios).sort()).toEqual((await requiredBy(revision, 'server')).sort());
  });

  it('is documented as listed here', async () => {
    const text = await readFile(DOCS, 'utf8');
    const rows = text
      .slice(text.indexOf('## Server'))
      .split('\n')
      .filter((line) => line.startsWith(`| ${revision} |`));
    const told = rows.flatMap((row) => {
      const [, , names = '', outcome = ''] = row.split('|');
      return [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => [name, outcome.trim()]);
    });
    const expected = Object.entries(scenarios).map(([name, reason]) => [name, reason ?? 'met']);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(expected));
  });

  it.concurrent.each(met)('%s', { timeout: 120_000 }, async (scenario) => {
    const { passed, output } = await runServerScenario(`${app.url}/mcp`, scenario, revision);
    expect(passed, output).toBe(true);
  });
});

it('meets http-header-validation, which no revision requires', { timeout: 120_000 }, async () => {
  const { passed, output } = await runServerScenario(`${app.url}/mcp`, 'http-header-validation');
  expect(passed, output).toBe(true);
});
