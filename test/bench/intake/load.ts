import { Pool } from 'undici';

/**
 * Number of connections. The clients run in their own process, so that their work does not count as the
 * server's.
 */
const CLIENTS = 16;

export interface Load {
  port: number;
  document: string;
  variables: Record<string, unknown>;
  requests: number;
}

export interface LoadReport {
  perSecond: number;
  /** The first answer that had errors or no data. */
  wrong: string | null;
}

process.on('message', ({ load }: { load: Load }) => void run(load));

async function run({ port, document, variables, requests }: Load): Promise<void> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CLIENTS });
  const body = JSON.stringify({ query: document, variables });
  let [left, wrong] = [requests, null as string | null];
  const client = async () => {
    while (left-- > 0) {
      const headers = { 'content-type': 'application/json' };
      const response = await pool.request({ path: '/graphql', method: 'POST', headers, body });
      const text = await response.body.text();
      if (!text.startsWith('{"data":') || text.includes('"code"')) wrong ??= text;
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const perSecond = (requests * 1000) / (performance.now() - begun);
  await pool.close();
  process.send!({ report: { perSecond, wrong } satisfies LoadReport });
}
