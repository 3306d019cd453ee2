import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';

/** Output of a misbehaving server: arbitrary bytes, a message, or a request to the client with its answer. */
export interface Wire {
  raw(text: string): void;
  send(message: object): void;
  ask(method: string): Promise<{ result?: unknown; error?: { code: number } }>;
}

type Id = number | string | undefined;
const MIB = 1024 * 1024;
const text = (content: string) => ({ content: [{ type: 'text', text: content }] });
const never = () => {};
const forever = (work: () => void) => void setInterval(work, 1);

/** Misbehaviour in place of the answer to `initialize`, by the server's argument. */
export const STARTS: Record<string, (wire: Wire, id: Id, answer: object) => void> = {
  'hang at initialize': never,
  'exit at initialize': () => process.exit(7),
  'line without an end': ({ raw }) => forever(() => raw('f'.repeat(MIB))),
  'garbage around messages': ({ raw, send }, id, result) => {
    raw(
      `Listening on stdio\n{"half": \n\n\u0000\ufffd\u001b[31m\n${'x'.repeat(100_000)}\n[]\n42\nnull\n"text"\n`,
    );
    send({ id, result });
  },
  'garbage without end': ({ raw }) => forever(() => raw('not a message\n'.repeat(1000))),
  'protocol of another time': ({ send }, id, result) =>
    send({ id, result: { ...result, protocolVersion: '1999-01-01' } }),
  'capabilities that are none': ({ send }, id, result) =>
    send({ id, result: { ...result, capabilities: 42 } }),
  'no tools at all': ({ send }, id, result) => send({ id, result: { ...result, capabilities: {} } }),
  'instructions of 8 MiB': ({ send }, id, result) =>
    send({ id, result: { ...result, instructions: 'i'.repeat(8 * MIB) } }),
  'errors of 8 MiB': ({ send }, id) => send({ id, error: { code: -1, message: 'e'.repeat(8 * MIB) } }),
  'SIGTERM ignored': ({ send }, id, result) => {
    process.on('SIGTERM', never);
    setInterval(never, 1000);
    send({ id, result });
  },
  'a child that survives': ({ send }, id, result) => {
    stay(false);
    send({ id, result });
  },
  'a child in a session of its own': ({ send }, id, result) => {
    stay(true);
    send({ id, result });
  },
  'stderr without end': ({ send }, id, result) => {
    forever(() => process.stderr.write('s'.repeat(64 * 1024)));
    send({ id, result });
  },
  'answers before the question': ({ send }, id, result) => {
    for (let early = 1; early < 20; early += 1) send({ id: Number(id) + early, result: text('too early') });
    send({ id, result });
  },
};

/** Starts a process that ignores SIGTERM and SIGHUP. */
function stay(detached: boolean): void {
  const script =
    "process.on('SIGTERM', () => {}); process.on('SIGHUP', () => {}); setInterval(() => {}, 1000)";
  spawn(process.execPath, ['-e', script], { stdio: 'ignore', detached }).unref();
}

const schemas = (go: object, inputSchemas: unknown[]) => [
  go,
  ...inputSchemas.map((inputSchema, index) => ({ name: `odd_${index}`, inputSchema })),
];
const deep = (levels: number): object =>
  levels === 0 ? {} : { type: 'object', properties: { a: deep(levels - 1) } };
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: 'string' }]));

/** Misbehaviour in place of the answer to `tools/list`, by the server's argument. */
export const LISTS: Record<string, (wire: Wire, id: Id, go: object) => void> = {
  'hang at list': never,
  'exit at list': () => process.exit(8),
  'list that is none': ({ send }, id) => send({ id, result: { tools: 'none' } }),
  'pages without end': ({ send }, id, go) =>
    send({ id, result: { tools: [go], nextCursor: `${Math.random()}` } }),
  'pages that repeat': ({ send }, id, go) => send({ id, result: { tools: [go], nextCursor: 'again' } }),
  'pages of 8 MiB without end': ({ send }, id, go) => {
    // The client would stop reading at a page that repeats an earlier one.
    const name = `heavy${Math.random()}`;
    const heavy = { ...go, name, description: 'h'.repeat(8 * MIB) };
    send({ id, result: { tools: [heavy], nextCursor: name } });
  },
  'schemas that are none': ({ send }, id, go) => {
    const odd = [
      null,
      42,
      'text',
      [],
      { type: 'array' },
      { type: ['object'] },
      { type: 'object', properties: 7 },
    ];
    send({ id, result: { tools: schemas(go, odd) } });
  },
  'schemas that refer to themselves': ({ send }, id, go) => {
    const self = { type: 'object', properties: { a: { $ref: '#' } }, $defs: { x: { $ref: '#/$defs/x' } } };
    send({ id, result: { tools: schemas(go, [self, deep(500)]) } });
  },
  'schemas of 10,000 properties': ({ send }, id, go) =>
    send({ id, result: { tools: schemas(go, [{ type: 'object', properties: many(10_000) }]) } }),
  '5,000 tools': ({ send }, id, go) => {
    const more = Array.from({ length: 5_000 }, (_, index) => ({ ...go, name: `t${index}` }));
    send({ id, result: { tools: [go, ...more] } });
  },
  'names that are none': ({ send }, id, go) => {
    const names = [
      '',
      ' ',
      'a.b',
      'a\u0000b',
      'a\nb',
      '\u202eog',
      'n'.repeat(MIB),
      'go',
      'go',
      '../go',
      'öl',
      '__proto__',
    ];
    send({ id, result: { tools: [go, null, {}, { name: 42 }, ...names.map((name) => ({ ...go, name }))] } });
  },
  'list changed, a storm': ({ send }, id, go) => {
    for (let index = 0; index < 4_000; index += 1) send({ method: 'notifications/tools/list_changed' });
    send({ id, result: { tools: [go] } });
  },
};

const request = (method: string) => async (wire: Wire, id: Id) => {
  const { error, result } = await wire.ask(method);
  wire.send({ id, result: text(error ? `refused with ${error.code}` : `granted ${JSON.stringify(result)}`) });
};
const answer = (result: unknown) => (wire: Wire, id: Id) => wire.send({ id, result });
const image = (data: string) => ({ type: 'image', mimeType: 'image/png', data });

/** Misbehaviour in place of the answer to `tools/call`, by the server's argument. */
export const CALLS: Record<string, (wire: Wire, id: Id) => void | Promise<void>> = {
  'hang at call': never,
  'exit at call': () => process.exit(9),
  'killed at call': () => void process.kill(process.pid, 'SIGKILL'),
  'output closed at call': () => closeSync(1),
  'result of 100 MiB': ({ raw }, id) => {
    raw(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
    for (let index = 0; index < 100; index += 1) raw('r'.repeat(MIB));
    raw('"}]}}\n');
  },
  'result drop by drop': ({ raw }, id) => {
    raw(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
    setInterval(() => raw('d'), 20);
  },
  'error of 8 MiB at call': ({ send }, id) => send({ id, error: { code: -1, message: 'e'.repeat(8 * MIB) } }),
  'asks for sampling': request('sampling/createMessage'),
  'asks for elicitation': request('elicitation/create'),
  'asks for roots': request('roots/list'),
  'asks for a ping': request('ping'),
  'asks without end': ({ send }) =>
    forever(() => {
      for (let index = 0; index < 100; index += 1)
        send({ id: `q${index}`, method: 'sampling/createMessage', params: {} });
    }),
  'another id': ({ send }, id) => send({ id: Number(id) + 1000, result: text('for nobody') }),
  'an id of another type': ({ send }, id) => send({ id: `x${id}`, result: text('for nobody') }),
  'the answer twice': ({ send }, id) => {
    send({ id, result: text('gone well') });
    send({ id, result: text('gone twice') });
  },
  'another version of JSON-RPC': ({ raw }, id) =>
    raw(`${JSON.stringify({ jsonrpc: '1.0', id, result: text('old') })}\n`),
  'notifications without end': ({ send }) =>
    forever(() => {
      for (let index = 0; index < 500; index += 1)
        send({ method: 'notifications/message', params: { level: 'info', data: 'n' } });
    }),
  'progress without end': ({ send }) =>
    forever(() => {
      for (let index = 0; index < 500; index += 1)
        send({ method: 'notifications/progress', params: { progressToken: 'p', progress: index } });
    }),
  'an error without text': answer({ content: [image('AAAA')], isError: true }),
  'a result that is null': answer(null),
  'a result that is a text': answer('done'),
  'content that is no list': answer({ content: 'done' }),
  'content that is nonsense': answer({
    content: [null, 42, [], {}, { type: 7 }, { type: 'text', text: 9 }, { type: 'text', text: 'kept' }],
  }),
  'structured content of another form': answer({ content: [], structuredContent: ['not', 'an', 'object'] }),
  'an image that is no base64': answer({ content: [image('!!! not base64 !!!')] }),
  'a prototype': ({ raw }, id) =>
    raw(
      `{"jsonrpc":"2.0","id":${id},"result":{"__proto__":{"polluted":1},"content":[],"structuredContent":{"__proto__":{"polluted":1}}}}\n`,
    ),
  'JSON nested 2 million times': ({ raw }, id) =>
    raw(
      `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":${'['.repeat(2e6)}${']'.repeat(2e6)}}}\n`,
    ),
};
