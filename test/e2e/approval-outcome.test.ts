import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ENDED } from '../helpers/api.ts';
import { approvalsOf, decide } from '../helpers/approvals.ts';
import { CHANGING_CALL } from '../helpers/approvals-suite.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import { testConfig, writeConfig } from '../helpers/config.ts';
import { type HttpMcpServer, startHttpMcp } from '../helpers/mcp/http-server.ts';
import { createTestTools } from '../helpers/mcp/test-tools.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

vi.setConfig({ testTimeout: 240_000 });

/** Tests a tool that changes something and has started when its worker is killed. */
let notes: string[];
let begun: PromiseWithResolvers<void>;
let answer: PromiseWithResolvers<void>;
let tools: HttpMcpServer;
let cluster: Cluster;
const token = randomUUID();

beforeEach(async () => {
  notes = [];
  begun = Promise.withResolvers();
  answer = Promise.withResolvers();
  const note = async (said: string) => {
    notes.push(said);
    begun.resolve();
    if (notes.length === 1) await answer.promise;
  };
  tools = await startHttpMcp(token, undefined, { createMcp: () => createTestTools(note) });
});
afterEach(async () => {
  answer.resolve();
  await cluster.stop();
  await tools.close();
});

const under = (action: 'allow' | 'ask' | 'deny', terms: object = {}) => ({
  mcpServers: {
    tools: {
      transport: { type: 'http', url: `${tools.url}/mcp`, bearer_token: token },
      policy: [{ tools: ['note'], action, ...terms }],
      untrusted_tools: ['echo'],
    },
  },
});

/** Returns the tool message that the model received for the call, once the investigation has ended. */
async function toldAfter(id: string): Promise<string> {
  const { status } = await cluster.api.waitFor(id, (session) => ENDED.has(session.status));
  expect(status).toBe('COMPLETED');
  const told = cluster.llm.requests.flatMap(({ messages }) =>
    messages.filter(({ role }) => role === 'tool').map(({ content }) => content),
  );
  return told.at(-1)!;
}

test('never repeats an approved call that was running when its worker died, and reports its outcome as unknown', async () => {
  cluster = await startCluster(under('ask'));
  cluster.llm.script(CHANGING_CALL, { text: 'Nobody knows.' }, { text: 'Summary.' });
  const worker = await cluster.startWorker();
  const id = await cluster.api.submit('Disk trouble');
  await cluster.api.waitFor(id, ({ status }) => status === 'WAITING_FOR_APPROVAL');
  const [approval] = await approvalsOf(cluster.api, id);
  expect(await decide(cluster.api, approval!, true)).toBe('APPROVED');
  await begun.promise;
  await worker.end('SIGKILL');
  await cluster.startWorker();
  expect(await toldAfter(id)).toContain('The outcome is unknown');
  const [after] = await approvalsOf(cluster.api, id);
  expect(after).toMatchObject({ status: 'OUTCOME_UNKNOWN', toolCall: { output: null } });
  expect(notes).toEqual(['clean up']);
});

const NOW: [string, Parameters<typeof under>, string][] = [
  ['denies', ['deny'], 'its tool is missing or no longer allowed'],
  ['gives to two approvers', ['ask', { approvals: 2 }], 'its policy now requires 2 approvals'],
  ['refuses', ['ask', { deny_untrusted: true }], 'its policy now refuses its arguments'],
];

test.each(NOW)('does not execute an approved call that the policy now %s', async (_, now, why) => {
  cluster = await startCluster(under('ask'));
  cluster.llm.script(
    toolCall('tools.echo', { text: 'clean up' }),
    CHANGING_CALL,
    { text: 'It is not allowed.' },
    { text: 'Summary.' },
  );
  const worker = await cluster.startWorker();
  const id = await cluster.api.submit('Disk trouble');
  await cluster.api.waitFor(id, ({ status }) => status === 'WAITING_FOR_APPROVAL');
  await worker.end('SIGTERM');
  const [approval] = await approvalsOf(cluster.api, id);
  expect(await decide(cluster.api, approval!, true)).toBe('APPROVED');
  await cluster.startWorker(undefined, { CONFIG_DIR: await writeConfig(testConfig(under(...now))) });
  expect(await toldAfter(id)).toContain(why);
  const [after] = await approvalsOf(cluster.api, id);
  expect(after).toMatchObject({
    ...{ status: 'FAILED', errorMessage: expect.stringContaining(why), toolCall: null },
  });
  expect(notes).toEqual([]);
});

test('asks for no approval of a started call that the policy now requires, because it may already have run', async () => {
  cluster = await startCluster(under('allow'));
  cluster.llm.script(CHANGING_CALL, { text: 'Nobody knows.' }, { text: 'Summary.' });
  const worker = await cluster.startWorker();
  const id = await cluster.api.submit('Disk trouble');
  await begun.promise;
  await worker.end('SIGKILL');
  await cluster.startWorker(undefined, { CONFIG_DIR: await writeConfig(testConfig(under('ask'))) });
  expect(await toldAfter(id)).toContain('The outcome is unknown. The call was not repeated');
  expect(await approvalsOf(cluster.api, id)).toEqual([]);
  expect(notes).toEqual(['clean up']);
});
