import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { capture, startAlert } from '../../test/helpers/cli/io.ts';
import {
  SESSION_ID,
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from '../../test/helpers/cli/server.ts';
import { sessionUrl } from './alert.ts';
import type { SessionState, TimelineEntry } from './contract.ts';
import { openOutput } from './output.ts';

const releases: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const release of releases.splice(0).reverse()) await release();
});

async function serve(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await startTestServer(options);
  releases.push(server.close);
  return server;
}

function session(status: string, more: Partial<SessionState> = {}) {
  const state = { id: SESSION_ID, status, queuePosition: null, errorMessage: null, ...more };
  return { __typename: 'SessionStatusChanged', session: state } as const;
}

function entry(id: string, type: string, content: string, status: string, metadata = {}): TimelineEntry {
  return { id, sequenceNumber: 1, type, status, content, metadata, execution: { id: 'e1' } };
}

const created = (...args: Parameters<typeof entry>) =>
  ({ __typename: 'TimelineEventCreated', timelineEvent: entry(...args) }) as const;
const completed = (...args: Parameters<typeof entry>) =>
  ({ __typename: 'TimelineEventCompleted', timelineEvent: entry(...args) }) as const;

const PAGE = '/sessions/018f0000-0000-7000-8000-000000000001';

/** Publishes the events of an investigation up to an open entry `t1`, which streams until `finish` is called. */
function begin(server: TestServer): void {
  const execution = { id: 'e1', agentName: 'HostAgent', llmProvider: 'offline', modelName: 'offline' };
  const stage = { id: 's1', name: 'investigate', index: 1, type: 'INVESTIGATION', expectedAgentCount: 1 };
  server.publish(session('PENDING', { queuePosition: 2 }));
  server.publish(session('IN_PROGRESS'));
  server.publish({
    __typename: 'StageStatusChanged',
    stage: { ...stage, status: 'ACTIVE', errorMessage: null },
  });
  server.publish({
    __typename: 'ExecutionStatusChanged',
    execution: { ...execution, status: 'ACTIVE', errorMessage: null },
  });
  const metadata = { server_name: 'host', tool_name: 'disk_usage', arguments: { path: '/' } };
  server.publish(created('t0', 'LLM_TOOL_CALL', '', 'STREAMING', metadata));
  server.publish(completed('t0', 'LLM_TOOL_CALL', '/ 91 %\n/home 12 %', 'COMPLETED', metadata));
  server.publish(created('t1', 'LLM_THINKING', '', 'STREAMING'));
}

function finish(
  server: TestServer,
  thought: string,
  status = 'COMPLETED',
  errorMessage: string | null = null,
): void {
  server.publish(completed('t1', 'LLM_THINKING', thought, 'COMPLETED'));
  server.publish(created('t2', 'FINAL_ANALYSIS', 'Clean up /var.\x1b]0;owned\x07', 'COMPLETED'));
  server.publish(created('t3', 'EXECUTIVE_SUMMARY', 'Disk is full.', 'COMPLETED'));
  server.publish(session(status, { errorMessage }));
}

test("prints the server's notes about changes to the alert", async () => {
  const taken = { id: SESSION_ID, status: 'PENDING', queuePosition: 1 };
  const server = await serve({
    submit: () => ({
      __typename: 'SubmitAlertSuccess',
      notes: ['1 character\x1b[2J became U+FFFD.'],
      session: taken,
    }),
  });
  const { exit, stderr } = startAlert(server, ['disk full']);
  await server.subscribed(1);
  begin(server);
  finish(server, 'Done.');
  expect(await exit).toBe(0);
  expect(stderr.text()).toMatch(/^1 character\S* became U\+FFFD\.\n$/);
  expect(stderr.text()).not.toContain('\x1b');
});

test('works below a prefix, where the page of the session is too', async () => {
  const server = await serve({ path: '/tarsy/graphql' });
  const address = server.url.replace('graphql', '');
  const { exit, stdout } = startAlert({ url: address }, ['disk full']);
  await server.subscribed(1);
  begin(server);
  finish(server, 'Done.');
  expect(await exit).toBe(0);
  expect(stdout.text()).toContain(`${address}${PAGE.slice(1)}`);
});

test('shows the whole investigation as it streams', async () => {
  const server = await serve();
  const { exit, stdout, stderr } = startAlert(server, ['disk full', '--type', 'host']);
  await server.subscribed(1);
  begin(server);
  server.stream('t1', 'Let me ');
  await stdout.until('Let me ');
  expect(stdout.text()).not.toContain('look');
  server.stream('t1', 'look.');
  await stdout.until('look.');
  finish(server, 'Let me look.');

  expect(await exit).toBe(0);
  expect(server.submitted).toEqual([{ data: 'disk full', alertType: 'host', runbookUrl: null }]);
  const origin = new URL(server.url).origin;
  expect(stdout.text()).toBe(`Alert accepted: ${origin}${PAGE}
queued, position 2
in progress
■ Stage 1: investigate
● HostAgent offline · offline

→ host.disk_usage {"path":"/"}
  / 91 %
  /home 12 %

thinking
Let me look.

── Final analysis
Clean up /var.

── Executive summary
Disk is full.

completed
COMPLETED in 12.3 s · 1,234 tokens (in 1,000, out 234)
${origin}${PAGE}
`);
  expect(stderr.text()).toBe('');
});

test('resumes after a lost connection, without loss or repetition', async () => {
  const server = await serve();
  const { exit, stdout, stderr } = startAlert(server, ['disk full']);
  await server.subscribed(1);
  begin(server);
  const words = ['Let ', 'me ', 'look ', '😀.'];
  for (const [round, word] of words.entries()) {
    server.stream('t1', word);
    await stdout.until(words.slice(0, round + 1).join(''));
    server.dropConnections();
    server.stream('t1', `(${round}) `);
    words[round] = `${word}(${round}) `;
    await server.subscribed(round + 2);
  }
  const thought = words.join('');
  finish(server, thought);
  expect(await exit).toBe(0);
  expect(stdout.text().split(`thinking\n${thought}\n\n── Final`)).toHaveLength(2);
  expect(stdout.text().match(/Stage 1|disk_usage|Disk is full/g)).toEqual([
    'Stage 1',
    'disk_usage',
    'Disk is full',
  ]);
  expect(server.resumedFrom).toEqual([null, '7', '7', '7', '7']);
  expect(stderr.text().match(/reconnecting/g)).toHaveLength(4);
});

test.each([
  ['COMPLETED', 0],
  ['FAILED', 1],
  ['CANCELLED', 3],
  ['TIMED_OUT', 4],
])('a session that ends %s exits with %i', async (status, code) => {
  const server = await serve({ outcome: { errorMessage: 'because\x1b[2J' } });
  const { exit, stdout } = startAlert(server, ['x']);
  await server.subscribed(1);
  begin(server);
  finish(server, '', status, 'because');
  expect(await exit).toBe(code);
  expect(stdout.text()).toContain(`because\n${status} in 12.3 s`);
});

test('--json prints each event and the outcome, one object a line, control characters escaped', async () => {
  const server = await serve({ outcome: { finalAnalysis: 'done \u009b31m' } });
  const { exit, stdout } = startAlert(server, ['--json', 'x']);
  await server.subscribed(1);
  server.publish(session('IN_PROGRESS'));
  server.publish(session('COMPLETED'));
  expect(await exit).toBe(0);
  expect(stdout.text()).not.toContain('\u009b');
  const lines = stdout
    .text()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { __typename: 'CaughtUp' },
    { __typename: 'SessionStatusChanged', cursor: '1', session: { status: 'IN_PROGRESS' } },
    { __typename: 'SessionStatusChanged', cursor: '2', session: { status: 'COMPLETED' } },
    {
      __typename: 'SessionOutcome',
      sessionId: SESSION_ID,
      exitCode: 0,
      status: 'COMPLETED',
      finalAnalysis: 'done \u009b31m',
      tokenUsage: { totalTokens: 1_234 },
    },
  ]);
});

test.each([
  [true, {}, true],
  [true, { NO_COLOR: '1' }, false],
  [true, { TERM: 'dumb' }, false],
  [false, {}, false],
])('terminal %s with %j: colours %s', async (isTTY, env, coloured) => {
  const server = await serve();
  const { exit, stdout } = startAlert(server, ['x'], { isTTY, env });
  await server.subscribed(1);
  begin(server);
  finish(server, 'hm');
  await exit;
  expect(stdout.text().includes('\x1b[2mhm\x1b[22m')).toBe(coloured);
  expect(stdout.text().includes('\x1b')).toBe(coloured);
  expect(stdout.text()).not.toContain('owned');
});

test('sends the alert exactly as in the file or on standard input', async () => {
  const server = await serve();
  const folder = await mkdtemp(join(tmpdir(), 'alert-'));
  releases.push(() => rm(folder, { recursive: true }));
  const path = join(folder, 'alert.json');
  await writeFile(path, '{"a": "ü"}\n');
  server.publish(session('COMPLETED'));
  expect(await startAlert(server, ['--file', path]).exit).toBe(0);
  expect(await startAlert(server, [], { stdin: 'piped\n' }).exit).toBe(0);
  expect(server.submitted.map(({ data }) => data)).toEqual(['{"a": "ü"}\n', 'piped\n']);
});

test('waits for a slow reader of the output', async () => {
  const stream = capture();
  const out = openOutput(stream);
  stream.cork();
  let written = false;
  const writing = out.write('x'.repeat(1_000_000)).then(() => {
    written = true;
  });
  await new Promise(setImmediate);
  expect(written).toBe(false);
  stream.uncork();
  await writing;
  expect(stream.text()).toHaveLength(1_000_000);
});

test.each([
  ['http://h:1/graphql', 'http://h:1/sessions/x'],
  ['https://h/tools/tarsy/graphql', 'https://h/tools/tarsy/sessions/x'],
])('the page of a session at %s is %s', (endpoint, page) => {
  expect(sessionUrl(new URL(endpoint), 'x')).toBe(page);
});
