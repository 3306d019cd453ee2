import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callTool, hostileServer, isAlive, openExecutor } from '../../test/helpers/mcp/executor.ts';
import { listenOn } from '../../test/helpers/mcp/listen.ts';
import type { ToolExecutorDeps } from './executor.ts';
import type { McpServerSettings, ToolExecutor } from './types.ts';

let folder: string;
let state: string;
let executor: ToolExecutor | null = null;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-failures-'));
  state = join(folder, 'state');
});
afterEach(async () => {
  await executor?.close();
  executor = null;
  await rm(folder, { recursive: true, force: true });
});

async function open(
  servers: McpServerSettings[],
  more: Partial<ToolExecutorDeps> = {},
): Promise<ToolExecutor> {
  executor = await openExecutor(servers, more);
  return executor;
}

const limits = {
  initTimeoutMs: 8_000, // a busy machine takes seconds to start a program
  maxResultChars: 1_000,
  maxTools: 100,
  maxToolUnits: 80_000,
};
const stateLines = async () => (await readFile(state, 'utf8')).trim().split('\n');

describe('unavailable servers', () => {
  it('are recorded with the reason and do not affect the others', async () => {
    const servers: McpServerSettings[] = [
      hostileServer('good'),
      hostileServer('exits', ['--exit-init']),
      hostileServer('floods', ['--flood', '--hang-init']),
      { id: 'missing', transport: { type: 'stdio', command: '/no/such/command', args: [], env: {} } },
    ];
    const names = [...servers.map(({ id }) => id), 'unknown'];
    const selection = { servers: names.map((name) => ({ name, tools: null })) };
    const tools = await open(servers, { selection });
    expect(Object.fromEntries(tools.unavailableServers())).toEqual({
      exits: 'the server exited with code 7',
      floods: 'the server sent more than 10 MiB in one message',
      missing: "the server's command could not be started (ENOENT: /no/such/command)",
      unknown: 'no such server is configured',
    });
    expect((await callTool(tools, 'good.echo', { a: 1 })).content).toBe('{"a":1}');
    const gone = await callTool(tools, 'exits.echo');
    expect(gone.isError).toBe(true);
    expect(gone.content).toContain('MCP server "exits" is unavailable (the server exited with code 7)');
  });

  it('have the last lines of their error output in the reason, without possible secrets', async () => {
    const loud = hostileServer('loud', ['--last-words'], { API_KEY: 'key-of-the-server' });
    const maskResult = (_: string, text: string) => text.replaceAll('hunter2', '***');
    const reason = (await open([loud], { maskResult })).unavailableServers().get('loud');
    expect(reason).toMatch(
      /^the server exited with code 7; it last wrote: debug 298 \| debug 299 \| cannot open the database password=\*\*\* \| … \| (long )+…$/,
    );
    const hanging = hostileServer('hanging', ['--hang-init', '--stderr']);
    const slow = await open([hanging, hostileServer('newer', ['--refuse-init'])], { limits });
    // Not that it refuses the older protocol, because an answer in the newer one would help.
    expect(slow.unavailableServers().get('newer')).toMatch(/^no answer within \d/);
    expect(slow.unavailableServers().get('hanging')).toMatch(
      /^no answer within 8 s; it last wrote: noise on stderr \|/,
    );
  });

  it('are ended when they do not answer in time', async () => {
    const hangs = hostileServer('hangs', ['--hang-init', '--stubborn', '--pids'], { STATE_FILE: state });
    const tools = await open([hangs], { limits });
    expect(Object.fromEntries(tools.unavailableServers())).toEqual({ hangs: 'no answer within 8 s' });
    const pids = (await stateLines()).map(Number);
    expect(pids).toHaveLength(1);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(await callTool(tools, 'hangs.echo')).toMatchObject({
      isError: true,
      content: expect.stringMatching(/No tools are available\.$/),
    });
  });

  it('stop being waited for when the caller aborts', async () => {
    const abort = new AbortController();
    const listening = createServer();
    const port = await listenOn(listening);
    // The connection to the server that never answers shows that the attempt is running.
    const connected = once(listening, 'connection');
    const url = `http://127.0.0.1:${port}/mcp`;
    const opening = openExecutor(
      [
        { id: 'silent', transport: { type: 'http', url } },
        hostileServer('good', ['--pids'], { STATE_FILE: state }),
      ],
      { signal: abort.signal },
    );
    const rejected = expect(opening).rejects.toThrow('not any more');
    const [socket] = await connected;
    abort.abort(new Error('not any more'));
    await rejected;
    const pids = await stateLines().then(
      (lines) => lines.map(Number),
      () => [],
    );
    expect(pids.filter(isAlive)).toEqual([]);
    socket.destroy();
    listening.close();
    await once(listening, 'close');
  });
});

describe('calls that break', () => {
  it('end at the time limit and leave the server usable', async () => {
    const tools = await open([hostileServer('odd')]);
    const result = await callTool(tools, 'odd.hang', {}, { timeoutMs: 300 });
    const content = 'Tool odd.hang failed: no answer within 300 ms';
    expect(result).toMatchObject({ isError: true, content, outcomeUnknown: true });
    expect(result.durationMs).toBeLessThan(30_000); // half of the usual limit
    expect((await callTool(tools, 'odd.echo', { a: 1 })).content).toBe('{"a":1}');
  });

  it.each([100, 700])(
    'end at the limit of their server, whatever the caller gives them: %i ms',
    async (timeoutMs) => {
      const { transport, ...settings } = hostileServer('odd');
      const tools = await open([{ ...settings, transport: { ...transport, timeoutMs } }]);
      const result = await callTool(tools, 'odd.hang', {}, { timeoutMs: 300 });
      expect(result.content).toBe(`Tool odd.hang failed: no answer within ${timeoutMs} ms`);
    },
  );

  it('continue while the server reports progress, up to five times the limit', async () => {
    const tools = await open([hostileServer('odd')]);
    const long = await callTool(tools, 'odd.progress', { times: 75 }, { timeoutMs: 3_000 });
    expect(long).toMatchObject({ isError: false, content: 'done after 75' });
    const endless = await callTool(tools, 'odd.progress', { times: 1e9 }, { timeoutMs: 3_000 });
    // A busy machine spends a part of the 15 s before the call.
    expect(endless.content).toMatch(/^Tool odd\.progress failed: no answer within 1[0-5](\.\d)? s$/);
  });

  it('end when aborted, with the reason', async () => {
    const tools = await open([hostileServer('odd')]);
    const abort = new AbortController();
    const call = callTool(tools, 'odd.hang', {}, { signal: abort.signal });
    // Answered after the hanging call was sent on the same connection.
    await callTool(tools, 'odd.echo');
    abort.abort(new Error('cancelled'));
    await expect(call).rejects.toThrow('cancelled');
    await expect(callTool(tools, 'odd.echo', {}, { signal: abort.signal })).rejects.toThrow('cancelled');
  });

  it.each(['crash_safe', 'crash_idempotent'])('are repeated once on a new session: %s', async (tool) => {
    const tools = await open([hostileServer('odd', [], { STATE_FILE: state })]);
    const result = await callTool(tools, `odd.${tool}`);
    expect(result).toMatchObject({ isError: false, content: 'survived call 2' });
    expect(result.durationMs).toBeGreaterThanOrEqual(250);
    expect(await stateLines()).toEqual([tool, tool]);
  });

  it('name their whole time limit when the repetition has no answer', async () => {
    const tools = await open([hostileServer('odd', ['--hang-after-crash'], { STATE_FILE: state })]);
    const result = await callTool(tools, 'odd.crash_safe', {}, { timeoutMs: 3_000 });
    expect(result.content).toBe('Tool odd.crash_safe failed: no answer within 3 s');
  });

  it('are not repeated when that could do harm; the next call gets a new session', async () => {
    const tools = await open([hostileServer('odd', [], { STATE_FILE: state })]);
    const result = await callTool(tools, 'odd.crash');
    expect(result.isError).toBe(true);
    expect(result.content).toContain('Tool odd.crash failed: the server exited with code 3');
    expect(result.content).toContain('The outcome of the call is unknown');
    expect(await stateLines()).toEqual(['crash']);
    expect((await callTool(tools, 'odd.echo', { a: 1 })).content).toBe('{"a":1}');
  });

  it('have no effect if the time was up before a new session began', async () => {
    const tools = await open([hostileServer('odd', ['--pids', '--hang-again'], { STATE_FILE: state })]);
    const pid = Number((await callTool(tools, 'odd.pid')).content);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => isAlive(pid)).toBe(false);
    const result = await callTool(tools, 'odd.echo', {}, { timeoutMs: 2_000 });
    expect(result.content).toBe('Tool odd.echo failed: no answer within 2 s');
    expect(result.outcomeUnknown).toBeUndefined();
  });

  it('share one new session after the server ended', async () => {
    const tools = await open([hostileServer('odd', ['--pids'], { STATE_FILE: state })]);
    const pid = Number((await callTool(tools, 'odd.pid')).content);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => isAlive(pid)).toBe(false);
    const echo = () => callTool(tools, 'odd.echo', { a: 1 });
    for (const { content } of await Promise.all([echo(), echo(), echo()])) expect(content).toBe('{"a":1}');
    expect(await stateLines()).toHaveLength(2);
  });

  it('fail when the server breaks again, all sharing one new session', async () => {
    const tools = await open([hostileServer('odd')]);
    const results = await Promise.all([callTool(tools, 'odd.crash_safe'), callTool(tools, 'odd.crash_safe')]);
    for (const result of results) {
      expect(result).toMatchObject({
        isError: true,
        content: 'Tool odd.crash_safe failed: the server exited with code 3',
      });
    }
  });

  it('fail when a message is too large', async () => {
    const tools = await open([hostileServer('odd')]);
    const result = await callTool(tools, 'odd.huge', { size: 11 * 1024 * 1024 });
    expect(result.isError).toBe(true);
    expect(result.content).toContain('more than 10 MiB in one message');
    expect((await callTool(tools, 'odd.echo', { a: 1 })).content).toBe('{"a":1}');
  });
});

describe('close leaves no process', () => {
  it('of a server that ignores end of input and SIGTERM during a call', async () => {
    const tools = await open([hostileServer('odd', ['--stubborn'])]);
    const pid = Number((await callTool(tools, 'odd.pid')).content);
    const hanging = callTool(tools, 'odd.hang');
    await tools.close();
    expect(isAlive(pid)).toBe(false);
    expect((await hanging).isError).toBe(true);
  });

  it('that a server started itself', async () => {
    const tools = await open([hostileServer('odd', ['--grandchild'], { STATE_FILE: state })]);
    const pid = Number((await callTool(tools, 'odd.pid')).content);
    const [grandchild] = (await stateLines()).map(Number);
    expect(isAlive(grandchild ?? 0)).toBe(true);
    await tools.close();
    expect(isAlive(pid)).toBe(false);
    await expect.poll(() => isAlive(grandchild ?? 0)).toBe(false);
  });
});
