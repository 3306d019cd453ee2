import type { Pool } from 'pg';

/** Inserts deliveries about a session with an approval and about one that ended. None of them is due. */
export async function fillNotifications(pool: Pool, approving: string, ended: string): Promise<void> {
  await pool.query(
    `insert into notification_deliveries
       (id, channel, kind, event, event_key, session_id, notice, status, attempts, last_error, created_at, ended_at, due_at)
     select gen_random_uuid(), channel, kind, event, 'picture:' || n, session_id::uuid, '{}', status, attempts, error,
       now() - minutes * interval '1 minute',
       case when status <> 'PENDING' then now() - minutes * interval '1 minute' end, now() + interval '7 minutes'
     from (values
       (1, 'oncall-mail', 'email', 'approval.requested', $1, 'DELIVERED', 1, null, 2),
       (2, 'ops-chat', 'mattermost', 'approval.requested', $1, 'DELIVERED', 1, null, 2),
       (3, 'portal', 'webhook', 'session.ended', $2, 'PENDING', 4, 'HTTP_503: portal.shop.example answered 503.', 9),
       (4, 'oncall-mail', 'email', 'approval.decided', $2, 'DELIVERED', 2, null, 14),
       (5, 'ops-chat', 'mattermost', 'approval.decided', $2, 'FAILED', 1, 'HTTP_403: chat.shop.example answered 403.', 14),
       (6, 'portal', 'webhook', 'session.ended', $2, 'DELIVERED', 1, null, 31)
     ) d (n, channel, kind, event, session_id, status, attempts, error, minutes)`,
    [approving, ended],
  );
}
