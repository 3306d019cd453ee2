import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { SESSION_ID, startTestServer, type TestServer } from '../../test/helpers/cli/server.ts';

/** Runs the command in its own process, as a user does, with signals and pipes. */
const SCRIPT = `
  import { runAlertCommand } from ${JSON.stringify(new URL('./alert.ts', import.meta.url).href)};
  process.exitCode = await runAlertCommand(process.argv.slice(1), process);
`;

const releases: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const release of releases.splice(0).reverse()) await release();
});

async function start(argv: string[]) {
  const server = await startTestServer();
  releases.push(server.close);
  const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT, '--', ...argv], {
    env: { ...process.env, TARSY_URL: server.url },
  });
  const exited = once(child, 'exit');
  releases.push(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const exitCode = exited.then(([code]) => code as number | null);
  const diedEarly = exitCode.then((code): never => {
    throw new Error(`The command exited with ${code} before it watched: ${errors}`);
  });
  diedEarly.catch(() => {});
  const watching = () => Promise.race([server.subscribed(1), diedEarly]);
  return { server, child, exitCode, watching, errors: () => errors };
}

async function untilOutput(child: ChildProcess, text: string): Promise<void> {
  let written = '';
  for await (const piece of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    written += String(piece);
    if (written.includes(text)) return;
  }
  throw new Error(`The command ended without "${text}": ${written}`);
}

function publishStatus(server: TestServer, status: string): void {
  const session = { id: SESSION_ID, status, queuePosition: null, errorMessage: null };
  server.publish({ __typename: 'SessionStatusChanged', session });
}

test('reads a pipe, and its process ends with the investigation', async () => {
  const { server, child, exitCode, watching } = await start([]);
  child.stdin.end('disk full');
  await watching();
  publishStatus(server, 'TIMED_OUT');
  expect(await exitCode).toBe(4);
  expect(server.submitted).toMatchObject([{ data: 'disk full' }]);
});

test('Ctrl-C ends the command but not the investigation, and prints how to cancel it', async () => {
  const { server, child, exitCode, watching, errors } = await start(['disk full']);
  await watching();
  publishStatus(server, 'IN_PROGRESS');
  await untilOutput(child, 'in progress');
  child.kill('SIGINT');
  expect(await exitCode).toBe(130);
  const { origin } = new URL(server.url);
  const id = '018f0000-0000-7000-8000-000000000001';
  expect(errors()).toBe(
    `\nThe investigation continues: ${origin}/sessions/${id}\nTo cancel it:\n  curl -s '${server.url}' ` +
      `-H 'content-type: application/json' -d '{"query":"mutation { cancelSession(id: \\"${id}\\") { __typename } }"}'\n`,
  );
});

test('does not crash if the reader closes the pipe (| head)', async () => {
  const { server, child, exitCode, watching, errors } = await start(['disk full']);
  await watching();
  publishStatus(server, 'IN_PROGRESS');
  await untilOutput(child, 'in progress');
  child.stdout.destroy();
  const publishing = setInterval(() => publishStatus(server, 'IN_PROGRESS'), 5);
  expect(await exitCode).toBe(141);
  clearInterval(publishing);
  expect(errors()).toBe('');
});
