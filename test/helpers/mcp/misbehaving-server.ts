/**
 * An MCP server over stdio that misbehaves in the one way that its argument names. Otherwise the server is
 * correct and has one tool, `go`. Writes the wire format by hand because a library would prevent the
 * misbehaviour.
 */
import { createInterface } from 'node:readline';
import { CALLS, LISTS, STARTS, type Wire } from './misbehaviour.ts';

const behaviour = process.argv[2] ?? '';
const lines = createInterface({ input: process.stdin });
const answers = new Map<unknown, (message: Message) => void>();

interface Message {
  id?: number | string;
  method?: string;
  result?: unknown;
  error?: { code: number };
}

const wire: Wire = {
  raw: (text) => void process.stdout.write(text),
  send: (message) => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
  ask: (method) =>
    new Promise((resolve) => {
      const id = `asked-${method}`;
      answers.set(id, resolve);
      wire.send({ id, method, params: {} });
    }),
};

const INITIALIZED = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: 'misbehaving', version: '1.0.0' },
};
const GO = { name: 'go', description: 'Goes', inputSchema: { type: 'object', properties: {} } };

function handle(message: Message): void {
  const { id, method } = message;
  if (method === undefined) {
    answers.get(id)?.(message);
  } else if (method === 'initialize') {
    const start = STARTS[behaviour];
    if (start === undefined) wire.send({ id, result: INITIALIZED });
    else start(wire, id, INITIALIZED);
  } else if (method === 'tools/list') {
    const list = LISTS[behaviour];
    if (list === undefined) wire.send({ id, result: { tools: [GO] } });
    else list(wire, id, GO);
  } else if (method === 'tools/call') {
    const call = CALLS[behaviour];
    if (call === undefined) wire.send({ id, result: { content: [{ type: 'text', text: 'gone well' }] } });
    else void call(wire, id);
  }
}

lines.on('line', (line) => handle(JSON.parse(line) as Message));
