import type { Logger } from 'pino';
import { errorMessage } from '../../common/error-message.ts';
import type { CanaryConfig, SourceConfig } from '../../config/types.ts';
import type { Queryable, Transaction } from '../../db/queryable.ts';
import { CANARY_SOURCE, canaryAlert } from './alert.ts';
import { recordFailure } from './store.ts';

/** Timeout (ms) of the HTTP request that delivers a canary. */
const ANSWER_MS = 5_000;

/** Key of the PostgreSQL advisory lock under which only one process sends a canary at a time; "cana" as bytes. */
const LOCK = 0x63616e61;

interface SendDeps {
  db: Queryable;
  transaction: Transaction;
  config: CanaryConfig;
  source: SourceConfig;
  logger: Logger;
}

/** Sends a canary if one is due, no other process is sending one, and the previous investigation has ended. */
export async function sendWhenDue(deps: SendDeps, url: string): Promise<void> {
  await deps.transaction(async (tx) => {
    const { rows } = await tx.query<{ due: boolean }>(DUE, [CANARY_SOURCE, deps.config.everyMs]);
    if (!rows[0]?.due) return;
    const problem = await send(deps, url);
    if (problem === null) return;
    deps.logger.warn({ problem }, 'canary not accepted');
    await recordFailure(deps.db, CANARY_SOURCE, problem);
  });
}

/** Retention may delete a session unjudged while no canary is configured. Such a session keeps no later canary waiting. */
const DUE = `select pg_try_advisory_xact_lock(${LOCK}) and not exists (
  select 1 from canaries where source = $1 and rule = ''
    and (arrived_at > now() - $2 * interval '1 millisecond' or session_id in (select id from alert_sessions))) as due`;

/** Posts a canary to this process's webhook. @returns why it was not accepted; `null` if accepted */
async function send({ source }: SendDeps, url: string): Promise<string | null> {
  try {
    const response = await fetch(`${url}/webhooks/${CANARY_SOURCE}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${source.tokens[0]}` },
      body: JSON.stringify(canaryAlert(new Date())),
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    await response.body?.cancel();
    return response.status === 202 ? null : `Sending the canary failed with HTTP status ${response.status}.`;
  } catch (error) {
    return `Sending the canary failed: ${errorMessage(error)}`;
  }
}
