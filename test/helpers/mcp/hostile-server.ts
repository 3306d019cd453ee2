/**
 * An MCP server over stdio that misbehaves as its arguments and tools say. Writes the wire format by hand
 * because a server library would prevent the misbehaviour.
 *
 * Arguments: --hang-init, --exit-init, --garbage (noise around every message), --stubborn (ignores end of
 * input and SIGTERM), --flood (endless output without a line end), --grandchild (starts a stubborn process of
 * its own),
 * --last-words (writes to its error output and exits at once),
 * --hang-after-crash (answers no call of a crashing tool after its first crash),
 * --grows-while-listing (adds a tool, and says so, while it lists the others for the first time),
 * --hang-again (with --pids: answers the first process only),
 * --refuse-init (refuses the older protocol and ignores requests for the newer one),
 * --unannotated (declares no annotations for its tools),
 * --refuse-list (an error with secrets in place of tools), --odd-tools (lists broken tools), --endless-pages
 * (repeats a cursor), --stderr (writes a lot to standard error).
 */
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

const flags = new Set(process.argv.slice(2));
const stateFile = process.env.STATE_FILE ?? '';

interface Request {
  id?: number | string;
  method: string;
  params?: { name?: string; arguments?: Record<string, unknown>; _meta?: { progressToken?: unknown } };
}

function send(message: object): void {
  if (flags.has('--garbage')) process.stdout.write('Debug: not a message\n{"half": \n\n');
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

/** True once the list has one more tool. */
let hasGrown = false;
/** Id of the call that added a tool to the list. */
let grown: Request['id'];

const schema = { type: 'object', properties: { text: { type: 'string' } } };
const safe = { readOnlyHint: true };
const counted = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };

function deep(levels: number): object {
  return levels === 0 ? {} : { type: 'object', properties: { a: deep(levels - 1) } };
}

function tools(): unknown[] {
  const names = [
    'echo',
    'hang',
    'progress',
    'grow',
    'env',
    'huge',
    'fail',
    'protocol_error',
    'nul',
    'mixed',
    'structured',
    'pid',
  ];
  const listed: unknown[] = names.map((name) => ({
    name,
    description: `does ${name}`,
    inputSchema: schema,
    annotations: safe,
  }));
  listed.push({ name: 'count', inputSchema: schema, outputSchema: counted, annotations: safe });
  if (hasGrown) listed.push({ name: 'new_one', inputSchema: schema, annotations: safe });
  listed.push({ name: 'crash', inputSchema: schema });
  listed.push({ name: 'crash_safe', inputSchema: schema, annotations: safe });
  listed.push({ name: 'crash_idempotent', inputSchema: schema, annotations: { idempotentHint: true } });
  if (flags.has('--odd-tools')) {
    listed.push(
      null,
      { description: 'no name' },
      { name: 'bad name!', inputSchema: schema },
      { name: 'x'.repeat(65), inputSchema: schema },
      { name: 'echo', description: 'again', inputSchema: schema },
      { name: 'no_schema' },
      { name: 'array_schema', inputSchema: { type: 'array' } },
      { name: 'deep_schema', inputSchema: deep(200) },
      { name: 'huge_schema', inputSchema: { ...schema, description: 'x'.repeat(100_000) } },
      { name: 'long_text', description: 'y'.repeat(100_000), inputSchema: schema },
      {
        name: 'odd_hints',
        inputSchema: schema,
        annotations: { readOnlyHint: 'yes' },
        outputSchema: { type: 'nonsense' },
      },
    );
  }
  if (!flags.has('--unannotated')) return listed;
  return listed.map((tool) => ({ ...(tool as object), annotations: undefined }));
}

/** Crashes; with a state file, only the first time. Each call appends a line to the state file. */
function crash(name: string, id: Request['id']): void {
  if (stateFile !== '') {
    appendFileSync(stateFile, `${name}\n`);
    const calls = readFileSync(stateFile, 'utf8').trim().split('\n').length;
    if (calls > 1) {
      if (flags.has('--hang-after-crash')) return;
      answer(id, [{ type: 'text', text: `survived call ${calls}` }]);
      return;
    }
  }
  process.exit(3);
}

function isRestarted(): boolean {
  return readFileSync(stateFile, 'utf8').trim().split('\n').length > 1;
}

/** Fails like a program with a wrong configuration: noise around the reason, and secrets. */
function lastWords(): never {
  const noise = Array.from({ length: 300 }, (_, line) => `debug ${line}\n`).join('');
  const last = [
    '\u001b[31mcannot open the database\u001b[0m\u0007\u202e password=hunter2',
    `MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQC7`,
    `${'long '.repeat(60)}and api_key=${process.env.API_KEY}`,
  ];
  writeSync(2, `${noise}${last.join('\n')}\n`);
  process.exit(7);
}

/** Reports progress every 50 ms, `times` times, and then answers. */
function progress(id: Request['id'], token: unknown, times: number): void {
  let told = 0;
  const timer = setInterval(() => {
    told += 1;
    send({ method: 'notifications/progress', params: { progressToken: token, progress: told } });
    if (told < times) return;
    clearInterval(timer);
    answer(id, [{ type: 'text', text: `done after ${told}` }]);
  }, 50);
}

function answer(id: Request['id'], content: unknown[], more: object = {}): void {
  send({ id, result: { content, ...more } });
}

function call(id: Request['id'], name: string, args: Record<string, unknown>, token: unknown): void {
  const text = (value: string) => answer(id, [{ type: 'text', text: value }]);
  switch (name) {
    case 'grow':
      hasGrown = true;
      grown = id;
      send({ method: 'notifications/tools/list_changed' });
      break; // the answer follows once the client has read the list again
    case 'progress':
      progress(id, token, Number(args.times));
      break;
    case 'hang':
      break;
    case 'env':
      text(JSON.stringify(process.env));
      break;
    case 'pid':
      text(String(process.pid));
      break;
    case 'huge':
      if (stateFile !== '') appendFileSync(stateFile, 'huge\n');
      text('z'.repeat(Number(args.size ?? 5_000_000)));
      break;
    case 'fail':
      answer(id, [{ type: 'text', text: 'it failed: password=hunter2' }], { isError: true });
      break;
    case 'protocol_error':
      send({ id, error: { code: -32000, message: 'refused: password=hunter2' } });
      break;
    case 'nul':
      text('a\u0000b\ud800c');
      break;
    case 'mixed':
      answer(id, [
        { type: 'text', text: 'one' },
        { type: 'image', mimeType: 'image/png', data: 'AAAA' },
        { type: 'resource', resource: { uri: 'file:///a', text: 'inside' } },
        { type: 'resource_link', uri: 'file:///b', name: 'b' },
        { type: 'hologram' },
        42,
      ]);
      break;
    case 'count':
      answer(id, [], { structuredContent: { count: args.text === 'right' ? 3 : 'many' } });
      break;
    case 'structured':
      answer(id, [], { structuredContent: { answer: 42 } });
      break;
    case 'crash':
    case 'crash_safe':
    case 'crash_idempotent':
      crash(name, id);
      break;
    default:
      text(JSON.stringify(args));
  }
}

function handle({ id, method, params }: Request): void {
  if (method === 'initialize') {
    if (flags.has('--hang-init') || (flags.has('--hang-again') && isRestarted())) return;
    if (flags.has('--exit-init')) process.exit(7);
    if (flags.has('--refuse-init')) {
      send({ id, error: { code: -32_022, message: 'Unsupported protocol version' } });
      return;
    }
    if (flags.has('--last-words')) lastWords();
    const capabilities = { tools: { listChanged: true } };
    const serverInfo = { name: 'hostile', version: '1.0.0' };
    send({ id, result: { protocolVersion: '2025-06-18', capabilities, serverInfo } });
  } else if (method === 'tools/list' && flags.has('--refuse-list')) {
    const message = `cannot list: password=hunter2 api_key=${process.env.API_KEY}`;
    send({ id, error: { code: -32000, message } });
  } else if (method === 'tools/list') {
    const result = { tools: tools(), ...(flags.has('--endless-pages') ? { nextCursor: 'again' } : {}) };
    if (flags.has('--grows-while-listing') && !hasGrown) {
      hasGrown = true;
      send({ method: 'notifications/tools/list_changed' });
      setTimeout(() => send({ id, result }), 1_000); // the client passes on changes after a while
      return;
    }
    send({ id, result });
    if (grown !== undefined) answer(grown, [{ type: 'text', text: 'grown' }]);
  } else if (method === 'tools/call') {
    call(id, params?.name ?? '', params?.arguments ?? {}, params?._meta?.progressToken);
  }
}

if (flags.has('--stubborn')) {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1_000);
}
if (flags.has('--grandchild')) {
  const script = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
  const child = spawn(process.execPath, ['-e', script], { stdio: 'inherit' });
  appendFileSync(stateFile, `${child.pid}\n`);
}
if (flags.has('--stderr')) process.stderr.write('noise on stderr\n'.repeat(100_000));
if (flags.has('--flood')) setInterval(() => process.stdout.write('f'.repeat(1024 * 1024)), 1);
if (stateFile !== '' && flags.has('--pids')) appendFileSync(stateFile, `${process.pid}\n`);

createInterface({ input: process.stdin }).on('line', (line) => handle(JSON.parse(line) as Request));
