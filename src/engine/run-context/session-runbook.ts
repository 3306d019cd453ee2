import { aborted } from 'node:util';
import type { AlertSessionRow } from '../../db/entities/index.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { AlertPrompt } from './investigation-prompt.ts';
import type { ClaimedRun, RunDeps } from './types.ts';

type SessionRunbook = Pick<AlertPrompt, 'runbook' | 'runbookProblem'>;

/**
 * Returns the session's runbook: the one at the sender's address, otherwise the configured text. Stores a fetched one,
 * so that later runs use the same text. If fetching fails, returns and stores the configured text with the problem.
 */
export async function loadSessionRunbook(
  deps: RunDeps & ClaimedRun,
  session: AlertSessionRow,
): Promise<SessionRunbook> {
  const configured = { runbook: configuredRunbook(deps), runbookProblem: null };
  if (!session.runbookUrl) return configured;
  const stored = await readStored(deps.db, session.id);
  if (stored) return stored;
  const reading = deps.runbooks.read(session.runbookUrl);
  const fetched = await Promise.race([reading, aborted(deps.signal, reading)]);
  if (!fetched) return configured; // the run was aborted, so no agent reads the runbook
  const loaded =
    'content' in fetched
      ? { runbook: fetched.content.trim() || null, runbookProblem: null }
      : { ...configured, runbookProblem: fetched.problem };
  return storeOnce(deps.db, session.id, loaded);
}

/** Returns the configured runbook, masked; `null` if there is none or masking fails. */
function configuredRunbook({ config, masking }: RunDeps): string | null {
  try {
    return masking.maskRunbook(config.defaults.runbook.trim()) || null;
  } catch {
    return null;
  }
}

async function readStored(db: Queryable, sessionId: string): Promise<SessionRunbook | null> {
  const { rows } = await db.query<SessionRunbook>(
    'select content as runbook, problem as "runbookProblem" from session_runbooks where session_id = $1',
    [sessionId],
  );
  return rows[0] ?? null;
}

/** Stores a session's runbook unless another run has stored one. @returns the stored runbook */
async function storeOnce(
  db: Queryable,
  sessionId: string,
  { runbook, runbookProblem }: SessionRunbook,
): Promise<SessionRunbook> {
  const { rows } = await db.query<SessionRunbook>(
    `insert into session_runbooks (session_id, content, problem) values ($1, $2, $3)
     on conflict (session_id) do update set session_id = excluded.session_id
     returning content as runbook, problem as "runbookProblem"`,
    [sessionId, runbook, runbookProblem],
  );
  return rows[0]!;
}
