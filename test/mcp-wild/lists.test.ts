import { expect, it } from 'vitest';
import { openExecutor } from '../helpers/mcp/executor.ts';
import { answersOf } from '../helpers/mcp/wild-answers.ts';
import { sendJson, startWildHttp } from '../helpers/mcp/wild-http.ts';

/** Tests servers whose list of tools has no last page. */
const TOOLS = [{ name: 'go', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }];

it.each<[string, (page: number) => object, string[]]>([
  ['the same tools for each cursor', (page) => ({ tools: TOOLS, nextCursor: String(page) }), ['wild.go']],
  ['no tools and the same cursor', () => ({ tools: [], nextCursor: 'again' }), []],
])('reads two pages of a list without end, and no tool twice: %s', async (_, resultOf, names) => {
  let pages = 0;
  const server = await startWildHttp(({ request, response, message }) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    if (message.method === 'tools/list') {
      pages += 1;
      return sendJson(response, { jsonrpc: '2.0', id: message.id, result: resultOf(pages) });
    }
    const [answer] = answersOf({}, message);
    if (answer === undefined) response.writeHead(202).end();
    else sendJson(response, answer);
  });
  const executor = await openExecutor([{ id: 'wild', transport: { type: 'http', url: server.url } }]);
  expect((await executor.listTools()).map(({ name }) => name)).toEqual(names);
  expect(executor.leftOutTools()).toEqual([]);
  expect(pages).toBe(2);
  await executor.close();
  await server.close();
});
