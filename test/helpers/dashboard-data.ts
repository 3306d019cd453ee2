import type { Pool } from 'pg';
import { insertRow, insertSession } from './http-api.ts';

const ALERTS = [
  ['PodCrashLooping', 'Pod payments/api-7d4f restarts every 40 s', 'kubernetes'],
  ['DiskAlmostFull', '/var on db-03 is 94 % full and grows by 2 GiB an hour', 'host'],
  ['HighErrorRate', '5xx of checkout above 3 % for 10 minutes', 'http'],
  ['CertificateExpires', 'The certificate of login.example.com ends in 6 days', 'tls'],
  ['ReplicaLag', 'Replica pg-2 is 190 s behind its primary', 'database'],
] as const;
const AUTHORS = ['alertmanager', 'ana.lopez@example.com', 'api-client'];
const ENDS = [
  'COMPLETED',
  'COMPLETED',
  'COMPLETED',
  'FAILED',
  'COMPLETED',
  'CANCELLED',
  'TIMED_OUT',
] as const;
const SUMMARY =
  '**Cause:** log rotation stopped on Tuesday after `logrotate` failed on a broken configuration. **Effect:** the volume fills in about 3 hours. **Next:** repair `/etc/logrotate.d/api`, then run it once by hand.';

/**
 * Inserts finished sessions like those of a team after some weeks. The newest one ended `ageMs` ms ago.
 * Returns their ids, newest first.
 */
export async function seedHistory(pool: Pool, count: number, ageMs = 60_000): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const [name, text, type] = ALERTS[index % ALERTS.length]!;
    const status = ENDS[index % ENDS.length]!;
    const created = Date.now() - ageMs - index * 47 * 60_000;
    const failed = status === 'FAILED' || status === 'TIMED_OUT';
    const id = await insertSession(pool, {
      alert_type: type,
      chain_id: `${type}-chain`,
      author: AUTHORS[index % AUTHORS.length]!,
      alert_data: JSON.stringify({
        labels: { alertname: name },
        annotations: { summary: `${text} (${index})` },
      }),
      status,
      created_at: new Date(created),
      started_at: new Date(created + 800),
      completed_at: new Date(created + 800 + (index % 9) * 41_000 + 17_300),
      executive_summary: status === 'COMPLETED' ? SUMMARY : null,
      final_analysis: status === 'COMPLETED' ? `# Analysis ${index}\n\nneedle-${index}: ${SUMMARY}` : null,
      error_message: failed ? 'The model did not answer within 60 s, three times in a row.' : null,
      input_tokens: 12_400 + index * 731,
      output_tokens: 900 + index * 37,
      total_tokens: 13_300 + index * 768,
    });
    ids.push(id);
  }
  return ids;
}

/** Inserts sessions that look running or queued. No worker claims them because they count as dispatched. */
export async function seedActive(pool: Pool, counts: { running: number; queued: number }): Promise<void> {
  for (let index = 0; index < counts.running + counts.queued; index += 1) {
    const [name, text, type] = ALERTS[index % ALERTS.length]!;
    const running = index < counts.running;
    const id = await insertSession(pool, {
      alert_type: type,
      chain_id: 'test',
      author: AUTHORS[index % AUTHORS.length]!,
      alert_data: JSON.stringify({ alertname: name, summary: text }),
      status: running ? 'IN_PROGRESS' : 'PENDING',
      created_at: new Date(Date.now() - (counts.running + counts.queued - index) * 71_000),
      dispatched_at: new Date(),
      ...(running ? { started_at: new Date(Date.now() - 63_000), attempt: 1, worker_id: 'elsewhere:1' } : {}),
      ...(running ? { lease_expires_at: new Date(Date.now() + 3_600_000) } : {}),
    });
    if (!running) continue;
    const stage = await insertRow(pool, 'stages', {
      session_id: id,
      name: index % 2 === 0 ? 'investigation' : 'data collection',
      index: 1,
      type: 'INVESTIGATION',
      status: 'ACTIVE',
      started_at: new Date(Date.now() - 60_000),
    });
    await pool.query('update alert_sessions set current_stage_id = $2 where id = $1', [id, stage]);
  }
}
