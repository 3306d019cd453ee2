import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { approvalsCommand } from './approvals.ts';
import { type Command, runCommand } from './command.ts';
import { exportCommand } from './export.ts';

async function run(command: Command, argv: string[], env: Record<string, string>) {
  const io = { stdout: new PassThrough(), stderr: new PassThrough(), env };
  const code = await runCommand(command, argv, io);
  io.stdout.end();
  io.stderr.end();
  return { code, stdout: await text(io.stdout), stderr: await text(io.stderr) };
}

test.each<[Command, string[], string]>([
  [approvalsCommand, ['list'], 'READ,APPROVE'],
  [exportCommand, ['x'], 'READ'],
])('what is refused says its code, and which token %o needs', async (command, argv, scopes) => {
  const server = createServer((_, response) => response.writeHead(401).end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
  try {
    const refused = await run(command, argv, { TARSY_URL: url, TARSY_TOKEN: 'tarsy_wrong' });
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(`UNAUTHENTICATED: ${url} asks to sign in (HTTP 401).\n`);
    expect(refused.stderr).toContain(`--scopes ${scopes};`);
  } finally {
    server.close();
  }
});

test.each<[Command, string[]]>([
  [approvalsCommand, ['list']],
  [exportCommand, ['x']],
])('reaches a server below a prefix: %o', async (command, argv) => {
  const asked: (string | undefined)[] = [];
  const server = createServer(({ url }, response) => {
    asked.push(url);
    response.writeHead(401).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const path of ['', '/', '/tarsy/', '/tarsy/graphql/'])
    await run(command, argv, { TARSY_URL: `${origin}${path}` });
  expect(asked).toEqual(['/graphql', '/graphql', '/tarsy/graphql', '/tarsy/graphql']);
  server.close();
});

test("reports a wrong command line with its code and the command's help", async () => {
  expect(await run(exportCommand, [], {})).toEqual({
    code: 2,
    stdout: '',
    stderr: 'USAGE: Give the id of one session.\nSee `npm run export -- --help`.\n',
  });
});
