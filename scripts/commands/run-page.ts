import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../lib/dev-python.ts';
import type { Block } from './blocks.ts';
import { pageScript } from './page-script.ts';

export interface RunOptions {
  readonly page: string;
  readonly blocks: readonly Block[];
  /** Receives the output while the commands run. */
  readonly onOutput?: (text: string) => void;
  /** True to link node_modules, for commands that do not change it. Default: a copy. */
  readonly linksPackages?: boolean;
}

/** Variables that would change what a fresh machine does. */
const KEYS = [
  'GOOGLE_API_KEY',
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'XAI_API_KEY',
  'CONFIG_DIR',
  'DATABASE_URL',
];

/** Matches an error that GraphQL answers. curl exits with 0 for it. */
const REFUSED = /"errors":\[|"__typename":"\w+Error"/;

/**
 * Runs the blocks of a page in a fresh copy of the repository, on a free port. Resolves with the exit code and the output.
 * The code is 1 if an answer in the output is an error of GraphQL.
 */
export async function runPage({ page, blocks, onOutput, linksPackages = false }: RunOptions) {
  const copy = mkdtempSync(join(tmpdir(), 'tarsy-commands-'));
  try {
    copyRepository(copy, linksPackages);
    const port = await freePort();
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      HTTP_PORT: String(port),
      TARSY_URL: `http://127.0.0.1:${port}`,
    };
    for (const key of KEYS) delete env[key];
    const child = spawn('bash', ['-c', pageScript(page, blocks, port)], {
      ...{ cwd: copy, env, stdio: ['ignore', 'pipe', 'pipe'] },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        onOutput?.(chunk.toString());
      });
    const code = await new Promise<number>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (status) => resolve(status ?? 1));
    });
    return { code: code === 0 && REFUSED.test(output) ? 1 : code, output };
  } finally {
    removeDatabase(copy);
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Removes the PostgreSQL of a started TARSy. As root, it is in a folder of its own, to which `.tarsy/postgres` leads. */
function removeDatabase(copy: string): void {
  const postgres = join(copy, '.tarsy/postgres');
  if (lstatSync(postgres, { throwIfNoEntry: false })?.isSymbolicLink())
    rmSync(dirname(realpathSync(postgres)), { recursive: true, force: true });
}

/** Copies the files of the working tree that git knows or would add, with the installed packages. */
function copyRepository(to: string, linksPackages: boolean): void {
  const listed = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  for (const file of listed.split('\0').filter((name) => name !== '' && existsSync(join(ROOT, name)))) {
    mkdirSync(join(to, dirname(file)), { recursive: true });
    cpSync(join(ROOT, file), join(to, file));
  }
  if (linksPackages) symlinkSync(join(ROOT, 'node_modules'), join(to, 'node_modules'));
  else execFileSync('cp', ['-al', join(ROOT, 'node_modules'), to]);
  // The Python packages of the same lock. Without the link, each page installs them, which takes a minute.
  const python = join(ROOT, '.tarsy/python');
  mkdirSync(join(to, '.tarsy'));
  if (existsSync(python)) symlinkSync(python, join(to, '.tarsy/python'));
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
