import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { giveTo } from '../../src/machine/postgres/account.ts';
import { openLogFile } from '../../src/machine/postgres/log-file.ts';
import { type ServerOptions, startServer } from '../../src/machine/postgres/server.ts';
import { startOnFreePort } from '../../src/machine/postgres/start.ts';
import { makeFolder } from './temporary-folder.ts';

/** A server that can have a standby: its address, and how it was started. */
export interface Primary {
  readonly url: string;
  readonly options: Omit<ServerOptions, 'port'>;
}

/** A hot standby, which replays the WAL of a primary as it streams. */
export interface Standby {
  /** Returns the URL of a database of the primary, on the standby. */
  urlOf(databaseUrl: string): string;
  /** Holds replay back at the present position, or resumes it. */
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
  /** Makes the standby a primary of its own. */
  promote(): Promise<void>;
  /** Stops the server at once, as a crash does. */
  kill(): Promise<void>;
  /** Starts the killed server again, on the same port. @param primaryUrl server that it follows; default: the same */
  start(primaryUrl?: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Copies a running primary and starts the copy as its standby.
 * @param settings settings of PostgreSQL, such as `recovery_min_apply_delay`
 */
export async function startStandby(
  primary: Primary,
  settings: Readonly<Record<string, string>> = {},
): Promise<Standby> {
  const dir = makeFolder(primary.options.account);
  const dataDir = join(dir, 'data');
  await copyData(primary, dataDir);
  const log = openLogFile(join(dir, 'postgres.log'));
  const optionsFor = (primaryUrl: string) => ({
    ...primary.options,
    ...{ dataDir, log, temporaryDir: dir },
    settings: {
      ...primary.options.settings,
      primary_conninfo: conninfoOf(primaryUrl),
      wal_retrieve_retry_interval: '100ms',
      ...settings,
    },
  });
  const { signal } = new AbortController();
  const { value, ...first } = await startOnFreePort(optionsFor(primary.url), 0, signal);
  let running: Pick<typeof first, 'stop'> | null = first;
  const ask = async (sql: string) => {
    const client = new pg.Client({ connectionString: value.url });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  const kill = async () => {
    await running?.stop();
    running = null;
  };
  return {
    urlOf(databaseUrl) {
      const url = new URL(databaseUrl);
      url.port = String(value.port);
      return url.href;
    },
    pauseReplay: () => ask('select pg_wal_replay_pause()'),
    resumeReplay: () => ask('select pg_wal_replay_resume()'),
    promote: () => ask('select pg_promote()'),
    kill,
    async start(primaryUrl = primary.url) {
      running = await startServer({ ...optionsFor(primaryUrl), port: value.port }, signal);
    },
    async stop() {
      await kill();
      log.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Copies the files of a running primary between the start and the end of a backup. */
async function copyData({ url, options }: Primary, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("select pg_backup_start('standby', true)");
    execFileSync('cp', ['-a', options.dataDir, to]); // keeps the owner
    rmSync(join(to, 'postmaster.pid'));
    const { rows } = await client.query<{ label: string }>(
      'select labelfile as label from pg_backup_stop(false)',
    );
    for (const [name, text] of [
      ['backup_label', rows[0]!.label],
      ['standby.signal', ''],
    ] as const) {
      writeFileSync(join(to, name), text);
      giveTo(join(to, name), options.account);
    }
  } finally {
    await client.end();
  }
}

function conninfoOf(url: string): string {
  const { hostname, port, username, password } = new URL(url);
  return `host=${hostname} port=${port} user=${username} password=${password} sslmode=disable`;
}
