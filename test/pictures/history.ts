import type { Pool } from 'pg';
import { insertRow, insertSession } from '../helpers/http-api.ts';
import { rememberAll } from '../helpers/memories.ts';
import { insertReport } from '../helpers/report.ts';
import { fillCases } from './replays.ts';
import { ANA, BEN, MIRA } from './shop.ts';

interface Case {
  readonly title: string;
  readonly severity: string;
  readonly verdict: string | null;
  readonly summary: string;
}

const CASES: readonly Case[] = [
  {
    title: 'Replica of orders-db is 190 s behind',
    ...{ severity: 'WARNING', verdict: 'ACTION_REQUIRED' },
    summary:
      'A report of accounting holds a lock on orders-db since 09:12. Stop it, or wait about 20 minutes.',
  },
  {
    title: 'Memory of search above 90%',
    ...{ severity: 'ERROR', verdict: 'NO_ACTION' },
    summary:
      'The index of search was rebuilt, which needs twice its memory for 10 minutes. It is back at 61 %.',
  },
  {
    title: 'Certificate of login.shop.example ends in 6 days',
    ...{ severity: 'WARNING', verdict: 'ACTION_REQUIRED' },
    summary:
      'The renewal fails since Monday: its DNS record is missing. Add the record, then run the renewal.',
  },
  {
    title: 'Queue of mails above 10,000',
    ...{ severity: 'ERROR', verdict: 'ACTION_SUGGESTED' },
    summary: 'The provider of mails answers slowly since 14:20. The queue shrinks by 400 mails a minute.',
  },
  {
    title: 'Disk of build-07 above 95%',
    ...{ severity: 'WARNING', verdict: 'ACTION_REQUIRED' },
    summary: 'Old images of containers use 212 GiB. Remove those that no build used for 14 days.',
  },
  {
    title: 'Latency of catalog: p99 above 2 s',
    ...{ severity: 'CRITICAL', verdict: null },
    summary: 'Two of five shards of the cache were restarted. Latency is normal again since 08:41.',
  },
];
const MODELS = ['claude-sonnet-4-5', 'gemini-2.5-flash'] as const;
const TEAMS = ['orders', 'platform', 'payments', null] as const;
/** Confidence of the reports, mostly by rating. Each third report has the confidence of the next rating. */
const CONFIDENCES = [0.95, 0.85, 0.65, 0.9, 0.55] as const;
const RATINGS = ['ACCURATE', 'ACCURATE', 'PARTIALLY_ACCURATE', 'ACCURATE', 'INACCURATE'] as const;
const SESSIONS = 84;
const HOUR = 3_600_000;

/** Inserts the last four weeks: sessions with their costs and reviews, what they taught, and what users changed. */
export async function fillHistory(pool: Pool): Promise<void> {
  const ids: string[] = [];
  for (let index = 0; index < SESSIONS; index += 1) ids.push(await insertPast(pool, index));
  await fillCases(pool, ids);
  await insertMemories(pool, ids);
  await insertAudit(pool, ids);
}

async function insertPast(pool: Pool, index: number): Promise<string> {
  const { title, severity, verdict, summary } = CASES[index % CASES.length]!;
  const created = Date.now() - 2 * HOUR - index * 7.7 * HOUR;
  const failed = index % 13 === 9;
  const isReviewed = !failed && index > 3 && index % 4 !== 1;
  const seconds = 48 + ((index * 37) % 260);
  const usd = 0.11 + ((index * 13) % 29) / 100;
  const tokens = 31_000 + ((index * 7_919) % 52_000);
  const id = await insertSession(pool, {
    ...{ title, severity, alert_data: title, alert_type: index % 3 === 1 ? 'database' : 'service' },
    ...{
      chain_id: 'service',
      author: index % 5 === 2 ? BEN : 'alertmanager-eu',
      team: TEAMS[index % TEAMS.length],
    },
    status: failed ? 'FAILED' : 'COMPLETED',
    error_message: failed ? 'Model unavailable: the provider is overloaded. Retried for 15 minutes.' : null,
    ...(failed ? {} : { executive_summary: summary, final_analysis: summary }),
    ...(isReviewed && {
      review_status: 'REVIEWED',
      assignee: index % 2 ? ANA : MIRA,
      rating: RATINGS[index % RATINGS.length],
    }),
    created_at: new Date(created),
    started_at: new Date(created + 600),
    completed_at: new Date(created + 600 + seconds * 1000),
    ...{ input_tokens: tokens, output_tokens: 2_400, total_tokens: tokens + 2_400, cost_usd: usd },
  });
  if (!failed && verdict !== null)
    await insertReport(pool, id, {
      ...{ verdict, headline: summary },
      confidence: CONFIDENCES[(index % 3 === 0 ? index + 1 : index) % CONFIDENCES.length],
    });
  for (const [n, model] of MODELS.entries())
    await insertRow(pool, 'llm_interactions', {
      ...{ session_id: id, type: 'ITERATION', provider: n ? 'gemini' : 'claude', model_name: model },
      ...{ duration_ms: 2_100, request: '{}', response: '{}', created_at: new Date(created + 5_000) },
      ...{ input_tokens: tokens >> n, output_tokens: 1_200, total_tokens: (tokens >> n) + 1_200 },
      ...{ cached_read_tokens: tokens >> 2, cost_usd: n ? usd / 9 : (usd * 8) / 9 },
    });
  return id;
}

async function insertMemories(pool: Pool, sessions: readonly string[]): Promise<void> {
  const memories = await rememberAll(pool, [
    {
      content:
        'p99 of payments rises when its provider of cards is slow; the log of payments names the provider.',
      confidence: 0.8,
      daysAgo: 3,
    },
    {
      content:
        'checkout answers 503 when its connection pool is exhausted; the pool log line names size and waiting requests.',
      confidence: 0.9,
      daysAgo: 1,
    },
    {
      content:
        'Memory of search doubles for about 10 minutes while its index is rebuilt, each Tuesday at 03:00.',
      confidence: 0.85,
      daysAgo: 4,
    },
    {
      content: 'A lag of orders-db behind its primary is mostly a report of accounting that holds a lock.',
      confidence: 0.75,
      team: 'orders',
      daysAgo: 6,
    },
    {
      content:
        'Disks of build machines fill with images of containers; those of the last 14 days are needed.',
      confidence: 0.7,
      team: 'platform',
      daysAgo: 12,
    },
    {
      content: 'catalog is slow for some minutes after a restart of its cache.',
      confidence: 0.45,
      daysAgo: 20,
      deprecated: true,
    },
  ]);
  await pool.query(`update memories set alert_type = 'service'`);
  for (const [index, memory] of memories.entries())
    for (const session of sessions.slice(index, index + 4 - (index % 3)))
      await pool.query(`insert into memory_sessions (memory_id, session_id, role) values ($1, $2, 'USE')`, [
        memory,
        session,
      ]);
}

async function insertAudit(pool: Pool, sessions: readonly string[]): Promise<void> {
  const changes: [string, string, string, string | null, object | null][] = [
    [MIRA, 'session.review', 'Session', sessions[4]!, { action: 'COMPLETE', rating: 'ACCURATE' }],
    [BEN, 'session.cancel', 'Session', sessions[9]!, null],
    [ANA, 'memory.update', 'Memory', null, { deprecated: true }],
    [BEN, 'session.ask', 'Session', sessions[2]!, null],
    [ANA, 'token.revoke', 'ApiToken', null, { name: 'old-pipeline' }],
  ];
  for (const [index, [actor, action, type, target, detail]] of changes.entries())
    await insertRow(pool, 'audit_events', {
      ...{ actor, action, target_type: type, target_id: target, detail, via: 'PROXY', address: '10.20.4.17' },
      at: new Date(Date.now() - (3 + index * 9) * HOUR),
    });
}
