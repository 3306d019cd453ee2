import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { runServerScenario } from './run.ts';

/** The scenarios for servers that need no tools, resources or prompts of a test server. */
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

it.concurrent.each([
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'sep-2164-resource-not-found',
  'dns-rebinding-protection',
  'http-header-validation',
])('%s', { timeout: 120_000 }, async (scenario) => {
  const { passed, output } = await runServerScenario(`${app.url}/mcp`, scenario);
  expect(passed, output).toBe(true);
});
