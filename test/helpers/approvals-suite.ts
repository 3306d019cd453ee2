import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type ApiClient, apiClient, ENDED } from './api.ts';
import { startTestApp, type TestApp } from './app.ts';
import { approvalsOf, type SeenApproval } from './approvals.ts';
import { toolCall } from './scripted-llm/index.ts';

/** Twenty responders who decide on approvals: every other one approves, the others deny. */
export const DECIDERS = Array.from({ length: 20 }, (_, index) => ({
  name: `p${index}`,
  approve: index % 2 === 0,
}));
const RESPONDERS = ['ana', 'bo', 'cy', ...DECIDERS.map(({ name }) => name)];

/** A tool call that changes something, so that it needs an approval. */
export const CHANGING_CALL = toolCall('tools.note', { text: 'clean up' });

type Options = NonNullable<Parameters<typeof startTestApp>[0]>;

/**
 * Sets up calls that wait for approval, in a process with one slot. `tools.note` changes something,
 * `tools.echo` does not.
 */
export function approvalsSuite() {
  let folder: string;
  let toolLog: string;
  let app: TestApp;
  let sql: pg.Pool;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tarsy-approvals-'));
    toolLog = join(folder, 'calls');
  });
  const stop = async () => {
    await sql?.end();
    await app?.stop();
  };
  afterEach(stop);
  afterAll(() => rm(folder, { recursive: true }));
  const as = (name: string): ApiClient => apiClient(app.url, { 'x-forwarded-user': name });
  return {
    get app() {
      return app;
    },
    get sql() {
      return sql;
    },
    async start(policy: object[] = [], options: Options = {}): Promise<void> {
      await writeFile(toolLog, '');
      app = await startTestApp({
        auth: { mode: 'proxy' },
        access: {
          roles: { viewer: { users: ['*'] }, responder: { users: RESPONDERS }, admin: { users: ['root'] } },
          teams: {},
        },
        queue: { max_concurrent_sessions: 1, worker_concurrency: 1 },
        toolLog,
        tools: { allow_changes: false, policy },
        ...options,
      });
      sql = new pg.Pool({ connectionString: app.database.url, max: 1 });
    },
    stop,
    as,
    /** The `tools.note` calls that the tool received. */
    notes: async () => (await readFile(toolLog, 'utf8')).split('\n').filter((line) => line !== ''),
    /** Submits an alert and waits until an approval is requested. */
    async asked(text = 'Disk trouble'): Promise<{ id: string; approval: SeenApproval }> {
      const id = await as('ana').submit(text);
      await as('ana').waitFor(id, ({ status }) => status === 'WAITING_FOR_APPROVAL');
      const [approval] = await approvalsOf(as('ana'), id);
      return { id, approval: approval! };
    },
    ended: (id: string) => as('ana').waitFor(id, ({ status }) => ENDED.has(status)),
  };
}
