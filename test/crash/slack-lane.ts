import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import pg from 'pg';
import { testConfig, writeConfig } from '../helpers/config.ts';
import { startHttpMcp } from '../helpers/mcp/http-server.ts';
import { createTestTools } from '../helpers/mcp/test-tools.ts';
import { createTestDatabase } from '../helpers/postgres.ts';
import { startProcess, type TarsyProcess } from '../helpers/process.ts';
import { type ScriptedLlm, startScriptedLlm } from '../helpers/scripted-llm/index.ts';
import { startFakeSlack } from '../helpers/slack/server.ts';
import type { FakeSlack } from '../helpers/slack/types.ts';
import { APP_TOKEN, SIGNING_SECRET, SLACK_CHANNEL, SLACK_TOKEN } from '../helpers/slack/workspace.ts';
import { installWriteGate, type WriteGate } from './gate.ts';

const PROGRAM = resolve(import.meta.dirname, '../helpers/slack-worker.ts');

/** Users of the workspace, who are responders. */
const PEOPLE = ['ANA', 'BO', 'CY'] as const;
const addressOf = (name: string) => `${name.toLowerCase()}@example.com`;

/** An installation with one process, which serves Slack's requests, investigates and posts. */
export interface SlackLane {
  slack: FakeSlack;
  llm: ScriptedLlm;
  sql: pg.Pool;
  gate: WriteGate;
  /** All executed calls of the tool `note`. */
  notes: readonly string[];
  /** Address of the process. A connection to a killed process is refused. */
  readonly url: string;
  /** Starts the process unless it runs. */
  fill(): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** Tables whose writes are counted: what Slack's requests and messages go through. */
const TABLES = [
  ...['slack_requests', 'slack_posts', 'approvals', 'approval_decisions', 'chat_user_messages'],
  'review_activities',
];

export async function openSlackLane(): Promise<SlackLane> {
  const releases: (() => Promise<unknown>)[] = [];
  const notes: string[] = [];
  const [llm, database, slack] = await Promise.all([
    startScriptedLlm(),
    createTestDatabase(),
    startFakeSlack(),
  ]);
  releases.push(() => slack.close());
  releases.push(() => database.drop());
  slack.streamRefusal = null;
  for (const name of PEOPLE) slack.users.set(`U0000${name}`, { email: addressOf(name) });
  const token = randomUUID();
  const tools = await startHttpMcp(token, undefined, {
    createMcp: () => createTestTools((said) => void notes.push(said)),
  });
  releases.push(() => tools.close());
  const configDir = await writeConfig(configOf(tools.url, token));
  releases.push(() => rm(configDir, { recursive: true }));
  const sql = new pg.Pool({ connectionString: database.url, max: 2 });
  releases.push(() => sql.end());
  const gate = await installWriteGate(database.url, { application: 'tarsy', tables: TABLES });
  releases.push(() => gate.end());
  const env = {
    ...{ DATABASE_URL: database.url, LLM_SERVICE_ADDR: llm.address, CONFIG_DIR: configDir },
    ...{ SLACK_API_URL: slack.url, SLACK_BOT_TOKEN: SLACK_TOKEN },
    ...{ SLACK_SIGNING_SECRET: SIGNING_SECRET, SLACK_APP_TOKEN: APP_TOKEN },
  };
  let running: TarsyProcess | null = null;
  let url = 'http://127.0.0.1:1';
  const kill = async () => {
    await running?.end('SIGKILL');
    running = null;
  };
  return {
    ...{ slack, llm, sql, gate, notes, kill },
    get url() {
      return url;
    },
    async fill() {
      running ??= await startProcess('all', env, PROGRAM);
      url = running.url!;
    },
    async stop() {
      await llm.close();
      await kill();
      for (const release of releases.splice(0).reverse()) await release();
    },
  };
}

function configOf(url: string, token: string): Record<string, unknown> {
  return testConfig({
    auth: { mode: 'proxy' },
    access: {
      roles: {
        viewer: { users: ['*'] },
        responder: { users: PEOPLE.map(addressOf) },
        admin: { users: ['root'] },
      },
      teams: {},
    },
    queue: { lease_duration: '1500ms', heartbeat_interval: '300ms', max_attempts: 20 },
    system: { slack: { enabled: true, channel: SLACK_CHANNEL, receive: 'http', reaction: 'mag' } },
    mcpServers: {
      tools: {
        transport: { type: 'http', url: `${url}/mcp`, bearer_token: token },
        policy: [{ tools: ['note'], action: 'ask' }],
      },
    },
  });
}
