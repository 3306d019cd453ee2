import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { readEnvironment } from '../../src/config/env.ts';
import { loadConfig } from '../../src/config/load.ts';
import { startApp } from '../../src/start/wiring/app.ts';
import { apiClient, ENDED } from '../helpers/api.ts';
import { testConfig, writeConfig } from '../helpers/config.ts';
import { createTestDatabase } from '../helpers/postgres.ts';
import { startScriptedLlm, toolCall } from '../helpers/scripted-llm/index.ts';

test('a required skill is in the instructions, another is loaded, and the timeline shows both', {
  timeout: 90_000,
}, async () => {
  const agents = { TestAgent: { mcp_servers: ['tools'], required_skills: ['evidence'] } };
  const dir = await writeConfig(testConfig({ agents }));
  const skill = (name: string) => `---\nname: ${name}\ndescription: For ${name}\n---\nText of ${name}.`;
  await mkdir(join(dir, 'skills', 'dns'), { recursive: true });
  await writeFile(join(dir, 'skills', 'evidence.md'), skill('evidence'));
  await writeFile(join(dir, 'skills', 'dns', 'SKILL.md'), skill('dns'));
  const [llm, database] = await Promise.all([startScriptedLlm(), createTestDatabase()]);
  const env = { CONFIG_DIR: dir, HTTP_PORT: '0', NODE_ENV: 'test', LLM_SERVICE_ADDR: llm.address };
  const app = await startApp({
    ...{
      role: 'all' as const,
      config: await loadConfig({ dir, env }),
      environment: readEnvironment(env),
      env,
    },
    ...{
      databaseUrl: database.url,
      llmAddress: llm.address,
      version: 'test',
      logger: pino({ level: 'silent' }),
    },
  });
  try {
    const api = apiClient(app.url!);
    llm.script(
      toolCall('tarsy.load_skill', { names: ['dns', 'none'] }, 'a'),
      toolCall('tarsy.load_skill', { names: ['none'] }, 'b'),
      { text: 'Done.' },
      { text: 'In short.' },
    );
    const id = await api.submit('dns is broken');
    await api.waitFor(id, ({ status }) => ENDED.has(status));
    const [first, second, third] = llm.requests;
    const system = first!.messages[0]!.content;
    expect(system).toContain('## Skill evidence\n\nText of evidence.');
    expect(system).toContain('- dns: For dns');
    expect(system).not.toContain('Text of dns');
    expect(second!.messages.at(-1)!.content).toContain('Text of dns.');
    expect(second!.messages.at(-1)!.content).toContain('There is no skill none; available skills: dns.');
    expect(third!.messages.at(-1)!.content).toContain('failed: There is no skill none');
    const { session, skills } = await api.query<{ session: { timeline: unknown[] }; skills: unknown[] }>(
      `query ($id: ID!) { session(id: $id) { timeline(types: [SKILL_LOADED]) { metadata } }
         skills { name description body requiredBy } }`,
      { id },
    );
    expect(session.timeline).toEqual([
      { metadata: { skills: ['evidence'] } },
      { metadata: { skills: ['dns'] } },
    ]);
    expect(skills).toEqual([
      { name: 'dns', description: 'For dns', body: 'Text of dns.', requiredBy: [] },
      { name: 'evidence', description: 'For evidence', body: 'Text of evidence.', requiredBy: ['TestAgent'] },
    ]);
  } finally {
    await app.stop();
    await llm.close();
    await database.drop();
  }
});
