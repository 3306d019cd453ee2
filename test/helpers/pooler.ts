import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { unpackDebianPackages } from './debian-packages.ts';
import { freePort } from './free-port.ts';

const LIBRARIES = 'usr/lib/x86_64-linux-gnu';

/** PgBouncer of Debian with its libraries, or the reason why it is missing here. */
export const pgBouncer = await unpackDebianPackages(['pgbouncer', 'libevent-2.1-7', 'libc-ares2']);

export interface Pooler {
  /** Returns the URL of a database through the pooler. */
  urlOf(databaseUrl: string): string;
  stop(): Promise<void>;
}

/**
 * Starts PgBouncer in transaction mode in front of the server of a URL, with the settings of
 * docs/how-to/install/pooler.md.
 * @param options.connections maximum connections to the server for each database
 */
export async function startPooler(serverUrl: string, options: { connections: number }): Promise<Pooler> {
  if ('missing' in pgBouncer) throw new Error(pgBouncer.missing);
  const { hostname, port: serverPort, username, password } = new URL(serverUrl);
  const home = await mkdtemp(join(tmpdir(), 'tarsy-pooler-'));
  const port = await freePort();
  await cp(join(pgBouncer.root, 'usr/sbin/pgbouncer'), join(home, 'pgbouncer'));
  await cp(join(pgBouncer.root, LIBRARIES), join(home, 'lib'), { recursive: true });
  await writeFile(
    join(home, 'pgbouncer.ini'),
    `[databases]
* = host=${hostname} port=${serverPort} user=${username}${password === '' ? '' : ` password=${password}`} \
  connect_query='set statement_timeout = 15000; set idle_in_transaction_session_timeout = 5000'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 1000
default_pool_size = ${options.connections}
server_login_retry = 1
`.replace('\\\n  ', ''),
  );
  await chmod(home, 0o755); // PgBouncer gives up root's rights
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(join(home, 'pgbouncer'), [...user, join(home, 'pgbouncer.ini')], {
    env: { LD_LIBRARY_PATH: join(home, 'lib') },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  const log: string[] = [];
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`PgBouncer ended:\n${log.join('\n')}`)));
    createInterface({ input: child.stderr }).on('line', (line) => {
      log.push(line);
      if (line.includes('process up')) resolve();
    });
  });
  return {
    urlOf(databaseUrl) {
      const url = new URL(databaseUrl);
      url.host = `127.0.0.1:${port}`;
      return url.href;
    },
    async stop() {
      child.kill('SIGKILL');
      await exited;
      await rm(home, { recursive: true });
    },
  };
}
