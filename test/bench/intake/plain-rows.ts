import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';

/** A baseline server that only inserts a delivery's rows in one transaction. */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 5 });

interface Told {
  groupKey: string;
  alerts: { labels: object; annotations: object; fingerprint: string; generatorURL: string }[];
}

async function bodyOf(req: IncomingMessage): Promise<Told> {
  const pieces: Buffer[] = [];
  for await (const piece of req) pieces.push(piece as Buffer);
  return JSON.parse(Buffer.concat(pieces).toString()) as Told;
}

async function store({ groupKey, alerts }: Told): Promise<void> {
  const [now, group, session] = [new Date(), uuidv7(), uuidv7()];
  const records = alerts.map((alert) => ({
    ...{
      id: uuidv7(),
      group_id: group,
      source: 'bare',
      fingerprint: alert.fingerprint,
      title: 'DiskAlmostFull',
    },
    ...{ severity: 'CRITICAL', state: 'FIRING', labels: alert.labels, annotations: alert.annotations },
    ...{
      url: alert.generatorURL,
      starts_at: now,
      deliveries: 1,
      first_received_at: now,
      last_received_at: now,
    },
    excluded: false,
  }));
  const decisions = records.map(({ id }) => ({
    ...{ id: uuidv7(), at: now, source: 'bare', outcome: 'INVESTIGATED', reason: '10 alerts fire', count: 1 },
    ...{ alert_id: id, group_id: group, session_id: session },
  }));
  const client = await pool.connect();
  const run = (name: string, text: string, values: unknown[]) => client.query({ name, text, values });
  try {
    await client.query('begin');
    await run(
      'delivery',
      'insert into intake_deliveries (id, source, received_at, alerts) values ($1, $2, $3, $4)',
      [...[uuidv7(), 'bare', now, alerts.length]],
    );
    await run(
      'group',
      `insert into alert_groups (id, source, group_key, title, severity, state, alert_type, alert_count, firing_count, opened_at, last_received_at)
       values ($1, 'bare', $2, 'DiskAlmostFull', 'CRITICAL', 'FIRING', 'test', 10, 10, $3, $3)`,
      [group, groupKey, now],
    );
    await run(
      'alerts',
      'insert into alerts select * from jsonb_populate_recordset(null::alerts, $1::jsonb)',
      [JSON.stringify(records)],
    );
    await run(
      'session',
      `insert into alert_sessions (id, alert_type, alert_data, chain_id, status, author, group_id, title, severity, entities, last_event_seq)
       values ($1, 'test', $2, 'test', 'PENDING', 'bare', $3, 'DiskAlmostFull', 'CRITICAL', array['host web-0'], 1)`,
      [session, JSON.stringify(alerts), group],
    );
    await run(
      'event',
      `insert into session_events (session_id, seq, type, payload)
       select id, 1, 'SessionStatusChanged', to_jsonb(s) - 'alert_data' from alert_sessions s where id = $1`,
      [session],
    );
    await run(
      'decisions',
      'insert into intake_decisions select * from jsonb_populate_recordset(null::intake_decisions, $1::jsonb)',
      [JSON.stringify(decisions)],
    );
    await client.query('commit');
  } finally {
    client.release();
  }
}

const http = createServer(async (req, res) => {
  await store(await bodyOf(req));
  res.writeHead(202, { 'Content-Type': 'application/json' }).end('{}');
});
http.listen(0, '127.0.0.1', () => process.send!({ port: (http.address() as AddressInfo).port }));
