import { expect, onTestFinished, test } from 'vitest';
import { callTool, hostServer, openExecutor } from '../../../test/helpers/mcp/executor.ts';
import { type BuiltinTool, withBuiltinTools } from './builtin-tools.ts';
import { HandedOverError } from './interruptions.ts';

const ECHO: BuiltinTool = {
  name: 'tarsy.echo',
  description: 'Repeats a text.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  run: async ({ text }) => `said ${text}`,
};

async function withoutServers(builtin: BuiltinTool, alone?: boolean) {
  const executor = await openExecutor([]);
  onTestFinished(() => executor.close());
  return withBuiltinTools(executor, [builtin], alone);
}

test('runs a tool by any form of its name', async () => {
  const tools = await withoutServers(ECHO);
  for (const name of ['tarsy.echo', 'tarsy__echo', ' tarsy.echo '])
    expect(await callTool(tools, name, { text: 'a' })).toMatchObject({ content: 'said a', isError: false });
  expect(await callTool(tools, 'tarsy.other')).toMatchObject({ isError: true });
});

test('does not run a tool with arguments that its schema forbids', async () => {
  let runs = 0;
  const run = async () => {
    runs += 1;
    return '';
  };
  const tools = await withoutServers({ ...ECHO, run });
  expect(await callTool(tools, 'tarsy.echo', { text: 1 })).toMatchObject({
    isError: true,
    content: expect.stringContaining('it was not called'),
  });
  expect(runs).toBe(0);
});

test('reports a failure as a result, but neither an interruption nor a call that was aborted before', async () => {
  const broken = await withoutServers({ ...ECHO, run: () => Promise.reject(new Error('no text left')) });
  expect(await callTool(broken, 'tarsy.echo', { text: 'a' })).toMatchObject({
    isError: true,
    content: 'Tool tarsy.echo failed: no text left',
  });
  const reason = new HandedOverError();
  const interrupted = await withoutServers({ ...ECHO, run: () => Promise.reject(reason) });
  await expect(callTool(interrupted, 'tarsy.echo', { text: 'a' })).rejects.toBe(reason);
  const late = callTool(
    await withoutServers(ECHO),
    'tarsy.echo',
    { text: 'a' },
    { signal: AbortSignal.abort(reason) },
  );
  await expect(late).rejects.toBe(reason);
});

test('is offered beside other tools only, if asked for', async () => {
  expect(await (await withoutServers(ECHO)).listTools()).toMatchObject([{ name: 'tarsy.echo' }]);
  expect(await (await withoutServers(ECHO, false)).listTools()).toEqual([]);
});

test("replaces a server's tool of the same name", async () => {
  const server = await openExecutor([hostServer]);
  onTestFinished(() => server.close());
  const offered = await server.listTools();
  const { name } = offered[0]!;
  const tools = withBuiltinTools(server, [{ ...ECHO, name }]);
  const named = (await tools.listTools()).filter((tool) => tool.name === name);
  expect(named).toMatchObject([{ description: ECHO.description }]);
  expect(await tools.listTools()).toHaveLength(offered.length);
  expect(tools.resolveCall({ name, arguments: '{"text":"a"}' })).toBeNull();
  expect(await callTool(tools, name, { text: 'a' })).toMatchObject({ content: 'said a' });
});
