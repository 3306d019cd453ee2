import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import type { TestApp } from '../helpers/app.ts';
import { caseClient } from '../helpers/cases.ts';
import { type Internet, PUBLIC_ADDRESS, startInternet } from '../helpers/internet.ts';
import { startOfflineApp } from '../helpers/offline-app.ts';
import { type Receiver, startReceiver } from '../helpers/receiver.ts';
import { shippedScenarios } from '../helpers/scenarios.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 240_000 });

/** A server that listens in place of everything that an investigation may reach, and notes each request and start. */
let trap: Receiver;
let internet: Internet;
let folder: string;
let app: TestApp;
const REPLAYS = 20;
const HOSTS = ['runbooks.example.com', 'hook.example.com', 'chat.example.com'];
const RUNBOOK = 'https://runbooks.example.com/latency.md';

beforeAll(async () => {
  trap = await startReceiver();
  internet = await startInternet();
  for (const name of HOSTS) internet.names.set(name, [PUBLIC_ADDRESS]);
  folder = await mkdtemp(join(tmpdir(), 'tarsy-trap-'));
  await writeFile(join(folder, 'started'), '');
  const at = (path: string) => `http://127.0.0.1:${trap.port}/${path}`;
  const stdio = { type: 'stdio', command: 'sh', args: ['-c', `echo start >> ${join(folder, 'started')}`] };
  app = await startOfflineApp({
    queue: { max_concurrent_sessions: REPLAYS },
    // The servers of the scenarios, under their names.
    mcpServers: {
      kubernetes: { transport: stdio },
      prometheus: { transport: { type: 'http', url: at('prometheus') } },
      logs: { transport: { type: 'sse', url: at('logs') } },
      changes: { transport: stdio },
      postgres: { transport: { type: 'http', url: at('postgres') } },
    },
    tools: { transport: stdio },
    agents: {
      KubernetesAgent: { mcp_servers: ['kubernetes', 'prometheus', 'logs', 'changes', 'postgres'] },
    },
    system: {
      mcp_health: { interval: '1h' },
      slack: { enabled: true, channel: 'C12345678', token_env: 'TRAP_TOKEN' },
      runbooks: { allowed_domains: ['runbooks.example.com'] },
    },
    network: internet.network,
    slackApiUrl: `${at('slack')}/`,
    notifications: {
      channels: {
        hook: { kind: 'webhook', url: 'https://hook.example.com/', secrets_env: ['TRAP_SECRET'] },
        chat: { kind: 'mattermost', url_env: 'TRAP_CHAT' },
      },
      rules: [{ events: ['session.started', 'session.ended'], channels: ['hook', 'chat'] }],
    },
    env: {
      TRAP_TOKEN: 'xoxb-trap',
      TRAP_CHAT: 'https://chat.example.com/hooks/x',
      TRAP_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
    },
  });
});
afterAll(async () => {
  await app?.stop();
  await trap?.close();
  await internet?.close();
  await rm(folder, { recursive: true });
});

/** The first parts of the paths that were requested, `stdio` for each start of a server, and names that were looked up. */
async function reached(): Promise<string[]> {
  const starts = (await readFile(join(folder, 'started'), 'utf8')).trim().split('\n').filter(Boolean);
  return [
    ...trap.received.map(({ path }) => path.split('/')[1]!),
    ...starts.map(() => 'stdio'),
    ...internet.resolved,
  ];
}

/** Waits until the first health check of every server has ended, because a start checks them all once. */
async function checkedOnce(): Promise<void> {
  const db = new Client({ connectionString: app.database.url });
  await db.connect();
  const count = async () =>
    (await db.query('select count(*)::int as n from mcp_server_health where last_checked_at is not null'))
      .rows[0].n;
  await expect.poll(count, { timeout: 60_000 }).toBe(6);
  await db.end();
}

test('twenty replays at once reach nothing outside, while an investigation reaches everything', async () => {
  await checkedOnce();
  const before = await reached();
  const api = apiClient(app.url);
  const cases = caseClient(api);
  const documents = (await shippedScenarios()).slice(0, REPLAYS);
  const started = await Promise.all(
    documents.map(async ({ alert, ...document }) => {
      const linked = alert.startsWith('{')
        ? JSON.stringify({ ...JSON.parse(alert), runbook: RUNBOOK })
        : `${alert}\nrunbook: ${RUNBOOK}`;
      const { case: stored } = await cases.import(JSON.stringify({ ...document, alert: linked }));
      return (await cases.start({ caseId: stored!.id })).replays![0]!;
    }),
  );
  await Promise.all(started.map(({ session }) => api.waitFor(session.id, ({ status }) => ENDED.has(status))));
  const ended = await Promise.all(started.map(({ id }) => cases.replay(id)));
  expect(ended.map(({ status }) => status)).toEqual(Array(REPLAYS).fill('COMPLETED'));
  const calls = ended.flatMap(({ session }) =>
    session.timeline.filter(({ type }) => type === 'LLM_TOOL_CALL'),
  );
  expect(calls.length).toBeGreaterThan(3 * REPLAYS);
  expect(calls.filter(({ metadata }) => metadata?.recorded === undefined)).toEqual([]);
  expect(await reached()).toEqual(before);

  // The trap works: the same alert as an investigation reaches each part of it.
  const { alert, alert_type } = documents[0]!;
  const input = { alertType: alert_type, runbookUrl: RUNBOOK };
  const id = await api.submit(alert, input);
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  const parts = ['prometheus', 'logs', 'postgres', 'stdio', 'slack', ...HOSTS];
  const countOf = (part: string, all: readonly string[]) => all.filter((one) => one === part).length;
  const missing = async () => {
    const now = await reached();
    return parts.filter((part) => countOf(part, now) <= countOf(part, before));
  };
  await expect.poll(missing, { timeout: 60_000 }).toEqual([]);
});
