import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BESIDES, REQUIRED, requiredBy, runScenario } from './run.ts';

const LIMIT = { timeout: 120_000 };
const DOCS = resolve(import.meta.dirname, '../../docs/reference/mcp-conformance.md');

describe.each(Object.entries(REQUIRED))('MCP of %s', (revision, scenarios) => {
  const met = Object.entries(scenarios).flatMap(([name, reason]) => (reason === null ? [name] : []));

  it('lists every required scenario as met or left out with a reason', async () => {
    expect(Object.keys(scenarios).sort()).toEqual((await requiredBy(revision)).sort());
  });

  it('is documented as listed here', async () => {
    const [ofClient = ''] = (await readFile(DOCS, 'utf8')).split('## Server');
    const rows = ofClient.split('\n').filter((line) => line.includes(`| ${revision} |`));
    const told = rows.flatMap((row) => {
      const [, , names = '', outcome = ''] = row.split('|');
      return [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => [name, outcome.trim()]);
    });
    const expected = Object.entries(scenarios).map(([name, reason]) => [name, reason ?? 'met']);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(expected));
  });

  it.concurrent.each(met)('%s', LIMIT, async (scenario) => {
    const { passed, output } = await runScenario(revision, scenario);
    expect(passed, output).toBe(true);
  });
});

describe.each(Object.entries(BESIDES))('additionally, %s', (revision, scenarios) => {
  it.concurrent.each(scenarios)('%s', LIMIT, async (scenario) => {
    const { passed, output } = await runScenario(revision, scenario);
    expect(passed, output).toBe(true);
  });
});

it('fails a scenario that is not met', LIMIT, async () => {
  expect((await runScenario('2025-11-25', 'elicitation-sep1034-client-defaults')).passed).toBe(false);
});
