import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { createTestDatabase } from '../helpers/postgres.ts';
import { startProcess } from '../helpers/process.ts';
import { startScriptedLlm, toolCall } from '../helpers/scripted-llm/index.ts';

const README = resolve(import.meta.dirname, '../../README.md');

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** Returns the README's configuration file, taken from the block that writes it. */
function readmeConfig(): string {
  const blocks = readFileSync(README, 'utf8').matchAll(/```sh\n([\s\S]*?)```/g);
  const block = [...blocks].map(([, text]) => text!).find((text) => text.includes('my-config/tarsy.yaml'));
  return block!.replace(/^CONFIG_DIR=.*$/gm, '');
}

test("the README's example of own tools works as printed", { timeout: 90_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tarsy-readme-'));
  stops.push(() => rmSync(dir, { recursive: true }));
  execFileSync('bash', ['-ec', readmeConfig()], { cwd: dir });
  const llm = await startScriptedLlm();
  const database = await createTestDatabase();
  stops.push(
    () => llm.close(),
    () => database.drop(),
  );
  llm.script(
    toolCall('logs.list_directory', { path: '/var/log' }),
    { text: 'dpkg.log tells.' },
    { text: 'In short: dpkg.' },
  );
  const env = {
    DATABASE_URL: database.url,
    LLM_SERVICE_ADDR: llm.address,
    CONFIG_DIR: join(dir, 'my-config'),
  };
  const [api, worker] = await Promise.all([startProcess('api', env), startProcess('worker', env)]);
  stops.push(() => Promise.all([api!.end('SIGTERM'), worker!.end('SIGTERM')]));

  const client = apiClient(api!.url!);
  const id = await client.submit('Package upgrades fail', { alertType: 'logs' });
  expect(await client.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ status: 'COMPLETED' });
  const { session } = await client.query<{ session: { timeline: { content: string; status: string }[] } }>(
    'query ($id: ID!) { session(id: $id) { timeline(types: [LLM_TOOL_CALL]) { status content } } }',
    { id },
  );
  expect(session.timeline).toHaveLength(1);
  expect(session.timeline[0]).toMatchObject({ status: 'COMPLETED' });
  expect(session.timeline[0]!.content).toContain('[FILE]');
});
