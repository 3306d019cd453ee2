import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { hasModes } from './database-modes.ts';
import { startTemporaryPostgres } from './temporary-postgres.ts';

/** A PostgreSQL server on which tests create databases. */
export interface TestServer {
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts the server: TEST_DATABASE_URL if set, else a container if an engine runs, else the embedded server.
 */
export async function startTestServer(): Promise<TestServer> {
  const given = process.env.TEST_DATABASE_URL;
  if (given && hasModes) throw new Error('TEST_POOLER and TEST_REPLICA need the embedded server');
  if (given) return { url: given, stop: async () => {} };
  if (!hasModes && (await containerEngineAnswers())) {
    const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
    const container = await new PostgreSqlContainer('postgres:18-alpine')
      .withCommand(['postgres', '-c', 'fsync=off', '-c', 'max_connections=300'])
      .start();
    return { url: container.getConnectionUri(), stop: async () => void (await container.stop()) };
  }
  return startTemporaryPostgres();
}

async function containerEngineAnswers(): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)('docker', ['info', '--format', '{{.ServerVersion}}'], {
      timeout: 5000,
    });
    return stdout.trim() !== '';
  } catch {
    return false; // no container client, or no engine that answers it
  }
}
