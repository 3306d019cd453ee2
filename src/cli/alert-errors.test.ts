import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GraphQLError } from 'graphql';
import { afterEach, expect, test } from 'vitest';
import { startAlert } from '../../test/helpers/cli/io.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../../test/helpers/cli/server.ts';
import type { SubmitRefusal } from './contract.ts';

const releases: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const release of releases.splice(0).reverse()) await release();
});

async function serve(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await startTestServer(options);
  releases.push(server.close);
  return server;
}

const PAGE = '/sessions/018f0000-0000-7000-8000-000000000001';

test.each<[SubmitRefusal, number, string]>([
  [
    { __typename: 'ValidationError', code: 'VALIDATION', message: 'No alert type "x".', field: 'alertType' },
    2,
    'VALIDATION: No alert type "x".\nAlert types of this server: host, kubernetes.\n',
  ],
  [
    { __typename: 'ValidationError', code: 'VALIDATION', message: 'Bad URL.', field: 'runbookUrl' },
    2,
    'VALIDATION: Bad URL.\nGive another URL with --runbook, or leave it out.\n',
  ],
  [
    {
      __typename: 'AlertTooLargeError',
      code: 'ALERT_TOO_LARGE',
      message: 'Too large.',
      maxBytes: 10,
      actualBytes: 11,
    },
    2,
    'ALERT_TOO_LARGE: Too large.\nSend the part that matters, for example: tail -c 10 FILE | npm run alert\n',
  ],
  [
    { __typename: 'ShuttingDownError', code: 'SHUTTING_DOWN', message: 'Stopping.' },
    5,
    'SHUTTING_DOWN: Stopping.\nSubmit it again in a few seconds.\n',
  ],
])('a refusal %j exits with %i and says what mends it', async (refusal, code, text) => {
  const { exit, stdout, stderr } = startAlert(await serve({ submit: () => refusal }), ['x']);
  expect(await exit).toBe(code);
  expect(stderr.text()).toBe(text);
  expect(stdout.text()).toBe('');
});

test('reports wrong usage and unreadable input before sending anything', async () => {
  const server = await serve();
  for (const [argv, stdin, text] of [
    [['--bogus'], undefined, "USAGE: Unknown option '--bogus'"],
    [['--file', '/nonexistent'], undefined, 'USAGE: Cannot read /nonexistent: ENOENT'],
    [[], Buffer.from([0xff, 0xfe]), 'USAGE: standard input is not UTF-8 text'],
  ] as const) {
    const { exit, stderr } = startAlert(server, argv, stdin === undefined ? {} : { stdin });
    expect(await exit).toBe(2);
    expect(stderr.text()).toContain(text);
  }
  expect(server.submitted).toEqual([]);
});

test('--help explains and exits with 0', async () => {
  const { exit, stdout } = startAlert({ url: 'http://127.0.0.1:1/graphql' }, ['--help']);
  expect(await exit).toBe(0);
  expect(stdout.text()).toContain('npm run alert -- --file alert.json');
});

test('exits with 5 if the server is unreachable or is not TARSy', async () => {
  const gone = await startTestServer();
  await gone.close();
  const refused = startAlert(gone, ['x', '--json']);
  expect(await refused.exit).toBe(5);
  expect(refused.stderr.text()).toMatch(
    /^UNREACHABLE: Cannot reach http:.*ECONNREFUSED.*\nIs TARSy running there\?/,
  );
  expect(JSON.parse(refused.stdout.text())).toMatchObject({
    __typename: 'Error',
    code: 'UNREACHABLE',
    exitCode: 5,
  });

  const other = createServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  releases.push(async () => void other.close());
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
  const wrong = startAlert({ url }, ['x']);
  expect(await wrong.exit).toBe(5);
  expect(wrong.stderr.text()).toContain('is not a TARSy server (HTTP 200)');
});

test('recognizes a sign-in page', async () => {
  const proxy = createServer((_, response) => response.writeHead(302, { location: '/sign-in' }).end());
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  releases.push(async () => void proxy.close());
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/graphql`;
  const { exit, stderr } = startAlert({ url }, ['x']);
  expect(await exit).toBe(2);
  expect(stderr.text()).toMatch(
    /^UNAUTHENTICATED: .* asks to sign in \(HTTP 302\)\.\nSet TARSY_TOKEN to a token, and give the address of the server itself/,
  );
});

test('exits with 5 and names the session if the server does not come back', async () => {
  const server = await startTestServer();
  const { exit, stderr } = startAlert(server, ['x'], { limits: { giveUpAfterMs: 50 } });
  await server.subscribed(1);
  await server.close();
  expect(await exit).toBe(5);
  expect(stderr.text()).toMatch(/UNREACHABLE: The connection to 127[^\n]* is lost: .*ECONNREFUSED/);
  expect(stderr.text()).toContain(`may still be running: ${new URL(server.url).origin}${PAGE}`);
});

test('does not retry a subscription that the server refuses', async () => {
  const subscribeError = new GraphQLError('No such session.', { extensions: { code: 'NOT_FOUND' } });
  const { exit, stderr } = startAlert(await serve({ subscribeError }), ['x']);
  expect(await exit).toBe(5);
  expect(stderr.text()).toContain('NOT_FOUND: No such session.');
});
