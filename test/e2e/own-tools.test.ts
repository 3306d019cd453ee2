import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { freePort } from '../helpers/free-port.ts';
import { createTestDatabase } from '../helpers/postgres.ts';
import { startProcess } from '../helpers/process.ts';
import { startScriptedLlm, toolCall } from '../helpers/scripted-llm/index.ts';

const ROOT = resolve(import.meta.dirname, '../..');

interface Example {
  page: string;
  folder: string;
  alertType: string;
  call: ReturnType<typeof toolCall>;
  answer: string;
  /** Program of the folder that serves HTTP at a port. */
  server?: { file: string; port: number };
}

/** Pages with an example of own tools: the folder of its files, and the first call of the model with its answer. */
const EXAMPLES: readonly Example[] = [
  {
    page: 'docs/how-to/configure/mcp-servers.md',
    folder: 'my-config',
    alertType: 'logs',
    call: toolCall('logs.list_directory', { path: '/var/log' }),
    answer: '[FILE]',
  },
  {
    page: 'docs/how-to/configure/mcp-servers.md',
    folder: 'my-http',
    alertType: 'service',
    call: toolCall('tickets.open_tickets', { service: 'checkout' }),
    answer: 'T-12  checkout  Some payments fail',
    server: { file: 'tickets.mjs', port: 8090 },
  },
  {
    page: 'docs/tutorials/your-own-tools.md',
    folder: 'my-tools',
    alertType: 'service',
    call: toolCall('deploys.error_rate', { service: 'checkout' }),
    answer: 'checkout  4812      6.1%',
  },
];

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** Token of the server in the example over HTTP. */
const TOKEN = { TICKETS_TOKEN: 'a-token-of-the-tickets' };

/** Starts the server of an example at a free port. Resolves when it prints its address. */
async function serve(folder: string, { file, port }: NonNullable<Example['server']>): Promise<void> {
  const free = String(await freePort());
  for (const path of [join(folder, file), join(folder, 'tarsy.yaml')])
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(String(port), free));
  const child = spawn(process.execPath, [join(folder, file)], {
    env: { ...process.env, ...TOKEN },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  stops.push(() => child.kill());
  const [line] = await once(child.stdout, 'data');
  expect(String(line)).toContain(`http://127.0.0.1:${free}/mcp`);
}

/** Returns the commands of a page that write the files of its example. */
function filesOf(page: string, folder: string): string {
  const blocks = readFileSync(join(ROOT, page), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g);
  const writing = [...blocks].map(([, text]) => text!).filter((text) => text.includes(`cat > ${folder}/`));
  return writing.join('\n').replace(/^CONFIG_DIR=.*$/gm, '');
}

test.each(EXAMPLES)(
  '$page: the example in $folder works as printed',
  { timeout: 90_000 },
  async (example) => {
    const { page, folder, alertType, call, answer, server } = example;
    const dir = mkdtempSync(join(tmpdir(), 'tarsy-own-tools-'));
    stops.push(() => rmSync(dir, { recursive: true }));
    execFileSync('bash', ['-ec', filesOf(page, folder)], { cwd: dir });
    // The example's program finds its packages as in this repository.
    symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
    // The path of the program becomes absolute, because the processes start in another folder.
    const config = join(dir, folder, 'tarsy.yaml');
    writeFileSync(config, readFileSync(config, 'utf8').replaceAll(`[${folder}/`, `[${dir}/${folder}/`));
    if (server !== undefined) await serve(join(dir, folder), server);
    const llm = await startScriptedLlm();
    const database = await createTestDatabase();
    stops.push(
      () => llm.close(),
      () => database.drop(),
    );
    llm.script(call, { text: 'The tool tells.' }, { text: 'In short: it tells.' });
    const env = {
      DATABASE_URL: database.url,
      LLM_SERVICE_ADDR: llm.address,
      CONFIG_DIR: join(dir, folder),
      ...TOKEN,
    };
    const [api, worker] = await Promise.all([startProcess('api', env), startProcess('worker', env)]);
    stops.push(() => Promise.all([api!.end('SIGTERM'), worker!.end('SIGTERM')]));

    const client = apiClient(api!.url!);
    const id = await client.submit('Something fails', { alertType });
    expect(await client.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({
      status: 'COMPLETED',
    });
    const { session } = await client.query<{ session: { timeline: { content: string; status: string }[] } }>(
      'query ($id: ID!) { session(id: $id) { timeline(types: [LLM_TOOL_CALL]) { status content } } }',
      { id },
    );
    expect(session.timeline).toHaveLength(1);
    expect(session.timeline[0]).toMatchObject({ status: 'COMPLETED' });
    expect(session.timeline[0]!.content).toContain(answer);
  },
);
