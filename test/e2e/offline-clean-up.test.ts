import { access, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { devPython, ROOT } from '../../scripts/lib/dev-python.ts';
import { startLlmProcess } from '../../src/machine/llm-process.ts';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { approvalsOf, decide } from '../helpers/approvals.ts';
import { HOST_SERVER } from '../helpers/mcp/shipped-servers.ts';

let service: Awaited<ReturnType<typeof startLlmProcess>>;
let folder: string;
let app: TestApp;

beforeAll(async () => {
  service = await startLlmProcess({
    python: await devPython(),
    serviceDir: `${ROOT}/llm-service`,
    env: { ...process.env, OFFLINE_CHUNK_DELAY_MS: '0' },
    logger: pino({ level: 'silent' }),
  });
  folder = await mkdtemp(join(tmpdir(), 'tarsy-clean-'));
});
afterEach(() => app?.stop());
afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true });
});

vi.setConfig({ testTimeout: 240_000 }); // on a busy machine, starting an agent's tools takes seconds

test.each([true, false])(
  'the rules request approval to delete old files when a disk is full: %s',
  async (approve) => {
    const old = join(folder, 'old.csv');
    await writeFile(old, 'old');
    await utimes(old, 0, 0);
    const transport = {
      ...{ type: 'stdio', command: process.execPath, args: [HOST_SERVER] },
      env: { HOST_MCP_CLEAN_DIR: folder },
    };
    app = await startTestApp({
      llmAddress: service.address,
      defaults: { llm_provider: 'offline', iteration_strategy: undefined, max_iterations: 10 },
      mcpServers: {
        host: { transport, policy: [{ tools: ['remove_old_files'], action: 'ask', dry_run: 'dry_run' }] },
      },
      agents: { TestAgent: { mcp_servers: ['host'] } },
    });
    const api = apiClient(app.url);
    const id = await api.submit('Disk almost full on this host: / above 0%');
    await api.waitFor(id, ({ status }) => status === 'WAITING_FOR_APPROVAL' || ENDED.has(status));
    const [approval] = await approvalsOf(api, id);
    expect(approval).toMatchObject({
      server: 'host',
      tool: 'remove_old_files',
      arguments: {},
      status: 'PENDING',
    });
    const { session } = await api.query<{ session: { approvals: { dryRun: string }[] } }>(
      'query ($id: ID!) { session(id: $id) { approvals { dryRun } } }',
      { id },
    );
    expect(session.approvals[0]!.dryRun).toMatch(/^Would remove 1 file from .* old\.csv/s);
    expect(await decide(api, approval!, approve)).toBe(approve ? 'APPROVED' : 'DENIED');
    const { status, finalAnalysis } = await api.waitFor(id, (one) => ENDED.has(one.status));
    expect(status).toBe('COMPLETED');
    expect(finalAnalysis).toContain(
      approve ? `Removed 1 file from ${folder}` : 'an approver denied the call',
    );
    expect(
      await access(old).then(
        () => true,
        () => false,
      ),
    ).toBe(!approve);
  },
);
