import type { RpcId, WildMode } from './wild-mode.ts';

/** Modes in which the fake server's answers to a tool call differ from the protocol. */
const well = (content: string | RegExp) => ({ isError: false, content });
const bad = (content: string | RegExp) => ({ isError: true, content });
const says = (result: unknown, content: string | RegExp): WildMode => ({
  call: () => result,
  expected: well(content),
});
const block = (only: unknown, content: string | RegExp) => says({ content: [only] }, content);
const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
const base64 = (value: string) => Buffer.from(value).toString('base64');
const fails = (error: unknown, content: string | RegExp): WildMode => ({
  callMessages: (id) => [{ jsonrpc: '2.0', id, error }],
  expected: bad(content),
});
const sends = (messages: (id: RpcId) => unknown[], content: string | RegExp): WildMode => ({
  callMessages: messages,
  expected: well(content),
});
const notice = (method: string, params: unknown) => ({ jsonrpc: '2.0', method, params });

const PODS = '{\n  "pods": 3\n}';

export const RESULTS: Record<string, WildMode> = {
  'result with null _meta': says({ ...text('ok'), _meta: null }, 'ok'),
  'isError null': says({ ...text('ok'), isError: null }, 'ok'),
  'isError as a text': { call: () => ({ ...text('no'), isError: 'true' }), expected: bad('no') },
  'content null beside structure': says({ content: null, structuredContent: { pods: 3 } }, PODS),
  'structure null beside content': says({ ...text('ok'), structuredContent: null }, 'ok'),
  'structure only': says({ structuredContent: { pods: 3 } }, PODS),
  'structure that is a list': says({ content: [], structuredContent: [1] }, '[\n  1\n]'),
  'neither content nor structure': says({ pods: 3 }, PODS),
  'content as a text': says({ content: 'pods: 3' }, 'pods: 3'),
  'content as one block': says({ content: { type: 'text', text: 'pods: 3' } }, 'pods: 3'),
  'content as texts': says({ content: ['pods: 3', 7, true] }, 'pods: 3\n7\ntrue'),
  'result as a text': says('pods: 3', 'pods: 3'),
  'result as a list of blocks': says([{ type: 'text', text: 'pods: 3' }], 'pods: 3'),
  'result null': says(null, '(the tool returned nothing)'),
  'no result': sends((id) => [{ jsonrpc: '2.0', id }], '(the tool returned nothing)'),
  'a version that is missing': sends((id) => [{ id, result: text('ok') }], 'ok'),
  'another version': sends((id) => [{ jsonrpc: '1.0', id, result: text('ok') }], 'ok'),
  'an id as a text': sends((id) => [{ jsonrpc: '2.0', id: String(id), result: text('ok') }], 'ok'),
  'an id that is missing': sends(() => [{ jsonrpc: '2.0', result: text('ok') }], 'ok'),
  'members of its own': sends(
    (id) => [{ jsonrpc: '2.0', id, result: text('ok'), trace: 'abc', time: null }],
    'ok',
  ),
  'a batch': sends(
    (id) => [
      [
        notice('notifications/message', { level: 'info', data: 1 }),
        { jsonrpc: '2.0', id, result: text('ok') },
      ],
    ],
    'ok',
  ),
  'progress with null members': sends(
    (id) => [
      notice('notifications/progress', { progressToken: id, progress: 1, total: null, message: null }),
      { jsonrpc: '2.0', id, result: text('ok') },
    ],
    'ok',
  ),
  'a notification with null params': sends(
    (id) => [notice('notifications/tools/list_changed', null), { jsonrpc: '2.0', id, result: text('ok') }],
    'ok',
  ),
};

export const ERRORS: Record<string, WildMode> = {
  'an error with null data': fails(
    { code: -32_001, message: 'no such pod', data: null },
    'Tool wild.go failed: MCP error -32001: no such pod',
  ),
  'an error as a text': fails('no such pod', 'Tool wild.go failed: MCP error -32603: no such pod'),
  'an error without a code': fails({ message: 'no such pod' }, /MCP error -32603: no such pod$/),
  'an error whose code is a text': fails({ code: '-32005', message: 'busy' }, /MCP error -32005: busy$/),
  'an error without a message': fails(
    { code: -32_005, detail: 'busy' },
    /MCP error -32005: .*"detail":"busy"/,
  ),
  'an error beside a null result': {
    callMessages: (id) => [{ jsonrpc: '2.0', id, result: null, error: { code: -32_005, message: 'busy' } }],
    expected: bad(/MCP error -32005: busy$/),
  },
  'an error with a null id': {
    callMessages: () => [{ jsonrpc: '2.0', id: null, error: { code: -32_005, message: 'busy' } }],
    expected: bad(/MCP error -32005: busy$/),
  },
};

export const BLOCKS: Record<string, WildMode> = {
  'a block with null members': block(
    { type: 'text', text: 'ok', mimeType: null, data: null, annotations: null },
    'ok',
  ),
  'a resource with null members': block(
    { type: 'resource', resource: { uri: 'a://b', text: 'ok', mimeType: null, blob: null } },
    '[resource a://b]\nok',
  ),
  'a block of type error': block({ type: 'error', text: 'namespace not found' }, 'namespace not found'),
  'a link with a title': block(
    {
      type: 'resource_link',
      uri: 'grafana://d/abc',
      name: 'abc',
      title: 'Checkout latency',
      description: 'p99 by pod',
      mimeType: 'application/json',
    },
    '[resource abc grafana://d/abc application/json] Checkout latency\np99 by pod',
  ),
  'a link with null members': block(
    { type: 'resource_link', uri: 'a://b', name: 'b', title: null, description: null, mimeType: null },
    '[resource b a://b]',
  ),
  'a blob of YAML': block(
    { type: 'resource', resource: { uri: 'a://b', mimeType: 'application/yaml', blob: base64('kind: Pod') } },
    '[resource a://b]\nkind: Pod',
  ),
  'a blob of JSON that is not encoded': block(
    { type: 'resource', resource: { uri: 'a://b', mimeType: 'application/problem+json', blob: '{"a":1}' } },
    '[resource a://b]\n{"a":1}',
  ),
  'a blob of text that is none': block(
    { type: 'resource', resource: { uri: 'a://b', mimeType: 'text/plain', blob: '//79/A==' } },
    '[resource a://b text/plain 4 bytes]',
  ),
  'a blob of another type': block(
    { type: 'resource', resource: { uri: 'a://b', mimeType: 'application/zip', blob: 'AAAA' } },
    '[resource a://b application/zip 3 bytes]',
  ),
  'data of a text type': block(
    { type: 'file', mimeType: 'text/csv; charset=utf-8', data: base64('a,b') },
    'a,b',
  ),
  'an image and a sound': says(
    {
      content: [
        { type: 'image', mimeType: 'image/svg+xml', data: 'AAAA' },
        { type: 'audio', data: 'AA==' },
      ],
    },
    '[image image/svg+xml, 3 bytes]\n[audio of unknown type, 1 bytes]',
  ),
  'a block of type json': block(
    { type: 'json', json: { pods: 3 } },
    '[content of type json]\n{\n  "json": {\n    "pods": 3\n  }\n}',
  ),
  'a block of text under another name': block(
    { type: 'text', content: 'pods: 3', annotations: { priority: 1 } },
    '[content of type text]\n{\n  "content": "pods: 3"\n}',
  ),
  'a block that says nothing': block({ type: 'thinking', signature: null }, '[content of type thinking]'),
  'a progress bar with colours': block(
    { type: 'text', text: 'Fetching 10%\rFetching 100%\r\n\u001b[31mno space\u001b[0m left' },
    'Fetching 100%\nno space left',
  ),
  'colours in structure': says(
    { structuredContent: { log: '\u001b[31mpanic\u001b[0m' } },
    '{\n  "log": "panic"\n}',
  ),
};
