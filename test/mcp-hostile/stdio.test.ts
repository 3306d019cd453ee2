import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processesByVariable } from '../../src/machine/proc.ts';
import type { McpServerSettings } from '../../src/mcp/types.ts';
import { type Arena, openArena } from './arena.ts';

const SERVER = resolve(import.meta.dirname, '../helpers/mcp/misbehaving-server.ts');
const WELL = { isError: false, content: /^gone well$/ };
const failed = (content: RegExp) => ({ isError: true, content });

/**
 * Misbehaviours with their expected outcome: the reason why the server is unavailable, or the result of its tool. On a
 * busy machine a flood may time out before it reaches its limit.
 */
const CASES: readonly (readonly [behaviour: string, RegExp | { isError: boolean; content: RegExp }])[] = [
  ['hang at initialize', /^no answer within 20 s$/],
  ['exit at initialize', /^the server exited with code 7$/],
  ['line without an end', /^the server sent more than 10 MiB in one message$|^no answer within/],
  ['garbage around messages', WELL],
  [
    'garbage without end',
    /^the server sent too many messages; it last wrote: not a message|^no answer within/,
  ],
  ['protocol of another time', /protocol version/],
  ['capabilities that are none', /does not follow the protocol/],
  ['no tools at all', failed(/^Unknown tool "bad\.go"/)],
  ['instructions of 8 MiB', WELL],
  ['errors of 8 MiB', /^MCP error -1: e{500,600}$/],
  ['SIGTERM ignored', WELL],
  ['a child that survives', WELL],
  ['a child in a session of its own', WELL],
  ['stderr without end', WELL],
  ['answers before the question', WELL],
  ['hang at list', /^no answer within [\d.]+ s$/],
  ['exit at list', /^the server exited with code 8$/],
  ['list that is none', /does not follow the protocol/],
  ['pages without end', WELL],
  ['pages that repeat', WELL],
  ['pages of 8 MiB without end', /^the server sent too many bytes$|^no answer within/],
  ['schemas that are none', WELL],
  ['schemas that refer to themselves', WELL],
  ['schemas of 10,000 properties', WELL],
  ['5,000 tools', WELL],
  ['names that are none', WELL],
  ['list changed, a storm', WELL],
  ['hang at call', failed(/^Tool bad\.go failed: no answer within 5 s$/)],
  ['exit at call', failed(/the server exited with code 9\. The outcome of the call is unknown/)],
  ['killed at call', failed(/the server was ended by SIGKILL/)],
  ['output closed at call', failed(/the server closed its output/)],
  ['result of 100 MiB', failed(/the server sent more than 10 MiB in one message|no answer within 5 s/)],
  ['result drop by drop', failed(/no answer within 5 s/)],
  ['error of 8 MiB at call', failed(/^Tool bad\.go failed: MCP error -1: e+\n\[… cut/)],
  ['asks for sampling', { isError: false, content: /^refused with -32601$/ }],
  ['asks for elicitation', { isError: false, content: /^refused with -32601$/ }],
  ['asks for roots', { isError: false, content: /^refused with -32601$/ }],
  ['asks for a ping', { isError: false, content: /^granted \{\}$/ }],
  ['asks without end', failed(/the server sent too many requests of its own|no answer within 5 s/)],
  ['another id', failed(/no answer within 5 s/)],
  ['an id of another type', failed(/no answer within 5 s/)],
  ['the answer twice', WELL],
  ['another version of JSON-RPC', { isError: false, content: /^old$/ }],
  ['notifications without end', failed(/the server sent too many messages|no answer within 5 s/)],
  ['progress without end', failed(/the server sent too many messages|no answer within 5 s/)],
  ['an error without text', failed(/^\[image image\/png, 3 bytes\]$/)],
  ['a result that is null', { isError: false, content: /^\(the tool returned nothing\)$/ }],
  ['a result that is a text', { isError: false, content: /^done$/ }],
  ['content that is no list', { isError: false, content: /^done$/ }],
  [
    'content that is nonsense',
    { isError: false, content: /^\[content of an unknown form\]\n42\n(?:.*\n)+9\nkept$/ },
  ],
  ['structured content of another form', { isError: false, content: /"not",\s+"an",\s+"object"/ }],
  ['an image that is no base64', { isError: false, content: /^\[image image\/png, \d+ bytes\]$/ }],
  ['a prototype', { isError: false, content: /^\{/ }],
  ['JSON nested 2 million times', { isError: false, content: /nested too deeply|returned nothing/ }],
];

let arena: Arena;
beforeAll(async () => {
  arena = await openArena();
});
afterAll(() => arena.close());

describe('a server over stdio', () => {
  it.concurrent.each(CASES)('%s', { timeout: 60_000 }, async (behaviour, expected) => {
    const run = randomUUID();
    const transport: McpServerSettings['transport'] = {
      type: 'stdio',
      command: process.execPath,
      args: [SERVER, behaviour],
      env: { MISBEHAVING_RUN: run },
    };
    await arena.survives(transport, expected);
    expect((await processesByVariable('MISBEHAVING_RUN')).get(run)).toBeUndefined();
  });

  it('is found by the variable that the tests search for', async () => {
    const run = randomUUID();
    const env = { MISBEHAVING_RUN: run };
    const open = await arena.open({ type: 'stdio', command: process.execPath, args: [SERVER], env });
    expect((await processesByVariable('MISBEHAVING_RUN')).get(run)).toHaveLength(1);
    await open.close();
    expect((await processesByVariable('MISBEHAVING_RUN')).get(run)).toBeUndefined();
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});
