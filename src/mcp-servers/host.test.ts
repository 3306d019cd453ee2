import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, rm, statfs, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listenOn } from '../../test/helpers/mcp/listen.ts';
import { HOST_SERVER, type ShippedServer, startHost } from '../../test/helpers/mcp/shipped-servers.ts';

let folder: string;
let host: ShippedServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'host-mcp-'));
  host = await startHost({ HOST_MCP_WALK_DIRS: folder });
});

afterAll(async () => {
  await host.close();
  await rm(folder, { recursive: true, force: true });
});

it('offers its tools as read-only, with descriptions and closed schemas', async () => {
  const { tools } = await host.client.listTools();
  expect(tools.map((tool) => tool.name).sort()).toEqual([
    'disk_usage',
    'dns_lookup',
    'http_probe',
    'largest_directories',
    'list_logs',
    'listening_ports',
    'memory_and_load',
    'open_files',
    'process_details',
    'processes',
    'search_log',
    'tail_log',
  ]);
  for (const tool of tools) {
    const openWorldHint = tool.name === 'http_probe' || tool.name === 'dns_lookup';
    expect(tool.annotations).toMatchObject({
      readOnlyHint: true,
      idempotentHint: true,
      destructiveHint: false,
      openWorldHint,
    });
    expect(tool.description?.length).toBeGreaterThan(80);
    expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
  }
});

describe('disk_usage', () => {
  it('shows the real size of the root filesystem', async () => {
    const { text, isError } = await host.call('disk_usage');
    const root = await statfs('/');
    const size = (root.blocks * root.bsize) / 1024 ** 3;
    expect(isError).toBe(false);
    expect(text).toMatch(new RegExp(`^/ .* ${size.toFixed(1)} GiB .* \\d+% +\\d+%$`, 'm'));
    expect(text).toMatch(/^Fullest: \S+ with \d+% used/m);
    expect(text).not.toMatch(/^\/proc /m);
  });

  it('shows the filesystem of one path and reports a missing path', async () => {
    expect((await host.call('disk_usage', { path: folder })).text).toContain(
      `Filesystem that holds ${folder}`,
    );
    const missing = await host.call('disk_usage', { path: '/no/such/path' });
    expect(missing).toEqual({ isError: true, text: 'NOT_FOUND: "/no/such/path" does not exist.' });
  });

  it('names an unknown argument', async () => {
    const { text, isError } = await host.call('disk_usage', { mount: '/' });
    expect(isError).toBe(true);
    expect(text).toContain('Unrecognized key: "mount"');
  });
});

describe('largest_directories', () => {
  it('adds up a tree without following links', async () => {
    const tree = join(folder, 'tree');
    await mkdir(join(tree, 'big', 'deep'), { recursive: true });
    await mkdir(join(tree, 'small'));
    await writeFile(join(tree, 'big', 'deep', 'large.bin'), Buffer.alloc(3 * 1024 * 1024, 1));
    await writeFile(join(tree, 'small', 'a.bin'), Buffer.alloc(1024 * 1024, 1));
    await symlink('/usr', join(tree, 'link'));
    const { text } = await host.call('largest_directories', { path: tree, limit: 5 });
    expect(text).toMatch(new RegExp(`^4\\.0 MiB +3 +${tree}$`, 'm'));
    expect(text).toMatch(new RegExp(`^3\\.0 MiB +1 +${tree}/big/deep$`, 'm'));
    expect(text).toMatch(new RegExp(`^1\\.0 MiB +1 +${tree}/small$`, 'm'));
    expect(text).toMatch(new RegExp(`^3\\.0 MiB +\\S+ +${tree}/big/deep/large\\.bin$`, 'm'));
    // The directory is left out because its subdirectory holds all of its size.
    expect(text).not.toMatch(new RegExp(`${tree}/big$`, 'm'));
    expect(text).toContain('Looked at 6 entries');
  });

  it('stays in the allowed directories', async () => {
    const { text, isError } = await host.call('largest_directories', { path: '/usr' });
    expect({ isError, text }).toEqual({
      isError: true,
      text: `NOT_ALLOWED: "/usr" is outside of ${folder}.`,
    });
  });
});

it('memory_and_load shows memory, load and CPU', async () => {
  const { text } = await host.call('memory_and_load');
  expect(text).toMatch(/^memory +\d+\.\d GiB/m);
  expect(text).toMatch(/^Load average: \d+\.\d\d, \d+\.\d\d, \d+\.\d\d \(1, 5, 15 min\) on \d+ CPUs/m);
  expect(text).toMatch(/^CPU over the last 0\.5 s: busy \d+\.\d%/m);
});

describe('processes', () => {
  let child: ChildProcess;
  const marker = `marker-${process.pid}`;

  beforeAll(async () => {
    const script = `process.stdout.write('up'); setInterval(() => {}, 1000)`;
    child = spawn(process.execPath, ['-e', script, marker, '--db-password', 'hunter2', 'API_TOKEN=hunter3']);
    if (child.stdout === null) throw new Error('no output of the child');
    await once(child.stdout, 'data');
  });

  afterAll(async () => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  });

  it('finds a process and hides its secrets', async () => {
    const { text } = await host.call('processes', { match: marker, sort: 'memory' });
    expect(text).toMatch(
      new RegExp(
        `^${child.pid} .* MiB .*${marker} --db-password \\[MASKED_PASSWORD\\] API_TOKEN=\\[MASKED_TOKEN\\]$`,
        'm',
      ),
    );
    expect(text).not.toMatch(/hunter/);
    expect((await host.call('processes', { match: 'no-such-process-name' })).text).toContain(
      'No process matches',
    );
  });

  it('shows details of a process', async () => {
    const { text } = await host.call('process_details', { pid: child.pid });
    expect(text).toMatch(new RegExp(`^parent +${process.pid} `, 'm'));
    expect(text).toMatch(/^memory +resident \d+\.\d MiB/m);
    expect(text).not.toMatch(/hunter/);
    expect(await host.call('process_details', { pid: 4_194_304 })).toMatchObject({
      isError: true,
      text: 'NOT_FOUND: Process 4194304 does not exist.',
    });
  });

  it('shows open files and the space that deleted ones hold', async () => {
    const path = join(folder, 'deleted.bin');
    const handle = await open(path, 'w');
    try {
      await handle.write(Buffer.alloc(2 * 1024 * 1024, 1));
      await rm(path);
      const { text } = await host.call('open_files', { pid: process.pid });
      expect(text).toContain('Disk space held by deleted files: 2.0 MiB');
      expect(text).toMatch(new RegExp(`^${handle.fd} +deleted file +2\\.0 MiB +${path}`, 'm'));
    } finally {
      await handle.close();
    }
  });
});

it('listening_ports shows the owners of ports and reports unused ones', async () => {
  const server = createServer();
  const port = await listenOn(server);
  const open = await host.call('listening_ports', { port });
  expect(open.text).toMatch(new RegExp(`^tcp +127\\.0\\.0\\.1 +${port} +\\S+ +${process.pid} .*node`, 'm'));
  expect((await host.call('listening_ports')).text).toMatch(new RegExp(`127\\.0\\.0\\.1 +${port} `));
  // IPv4 addresses on a dual-stack socket are shown as IPv4.
  const other = createServer().listen(0, '::ffff:127.0.0.1');
  await once(other, 'listening');
  expect((await host.call('listening_ports')).text).toMatch(/^tcp6 +127\.0\.0\.1 /m);
  other.close();
  server.close();
  await Promise.all([once(server, 'close'), once(other, 'close')]);
  const closed = await host.call('listening_ports', { port });
  expect(closed.text).toContain(`Nothing listens on TCP or UDP port ${port}`);
});

it('dns_lookup resolves names and refuses invalid ones', async () => {
  const { text } = await host.call('dns_lookup', { name: 'localhost' });
  expect(text).toMatch(/^system: .*(127\.0\.0\.1|::1)/m);
  expect(await host.call('dns_lookup', { name: 'not a name' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('BAD_INPUT'),
  });
});

describe('without procfs', () => {
  let bare: ShippedServer;
  beforeAll(async () => {
    bare = await startHost({ HOST_MCP_PROC: join(folder, 'no-proc') });
  });
  afterAll(() => bare.close());

  it.each([
    ['processes', {}],
    ['process_details', { pid: 1 }],
    ['open_files', { pid: 1 }],
    ['listening_ports', {}],
  ])('%s says that it needs Linux', async (name, args) => {
    const { text, isError } = await bare.call(name, args);
    expect(isError).toBe(true);
    expect(text).toMatch(/^NOT_SUPPORTED: This needs .*no-proc.*, which Linux has/);
  });

  it('disk_usage and memory_and_load show the available figures', async () => {
    const disk = await bare.call('disk_usage');
    expect(disk).toMatchObject({ isError: false, text: expect.stringMatching(/^\/ .* GiB/m) });
    const memory = await bare.call('memory_and_load');
    expect(memory).toMatchObject({ isError: false, text: expect.stringMatching(/^Memory: total .* GiB/m) });
  });
});

it('exits when its standard input closes', async () => {
  const server = spawn(process.execPath, [HOST_SERVER], { stdio: ['pipe', 'ignore', 'inherit'] });
  const exited = once(server, 'exit');
  server.stdin.end();
  expect(await exited).toEqual([0, null]);
});

it('names the invalid setting and exits', async () => {
  const server = spawn(process.execPath, [HOST_SERVER], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { ...process.env, HOST_MCP_PROBE_TARGETS: 'http://a/path' },
  });
  const [chunk] = await once(server.stderr, 'data');
  const [code] = await once(server, 'exit');
  expect(String(chunk)).toContain('HOST_MCP_PROBE_TARGETS: "http://a/path"');
  expect(code).toBe(1);
});
