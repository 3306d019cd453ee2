import type { AlertSessionRow } from '../../db/entities/index.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { FetchedRunbook } from '../../runbooks/runbooks.ts';
import type { ClaimedRun, RunDeps } from './types.ts';

/** The runbook in the prompts of all agents of a session. */
interface SessionRunbook {
  content: string | null;
  /** Why the runbook that the sender named could not be read; `null` if it was read or none was named. */
  problem: string | null;
}

/**
 * Returns the session's runbook: the one that its sender named, else the configured text. Fetches it once and stores it, so that
 * later runs use the same text. The configured text replaces a runbook that cannot be read.
 */
export async function loadSessionRunbook(
  deps: RunDeps & ClaimedRun,
  session: AlertSessionRow,
): Promise<SessionRunbook> {
  const configured = configuredRunbook(deps);
  if (!session.runbookUrl) return { content: configured, problem: null };
  const stored = await readStored(deps.db, session.id);
  if (stored) return stored;
  const fetched = await unlessAborted(deps.runbooks.read(session.runbookUrl), deps.signal);
  if (!fetched) return { content: configured, problem: null }; // aborted: no agent reads it
  const runbook =
    'content' in fetched
      ? { content: fetched.content.trim() || null, problem: null }
      : { content: configured, problem: fetched.problem };
  return storeOnce(deps.db, session.id, runbook);
}

/** Returns the configured runbook, masked; `null` if there is none or masking fails. */
function configuredRunbook({ config, masking }: RunDeps): string | null {
  try {
    return masking.maskRunbook(config.defaults.runbook.trim()) || null;
  } catch {
    return null;
  }
}

async function unlessAborted(
  reading: Promise<FetchedRunbook>,
  signal: AbortSignal,
): Promise<FetchedRunbook | null> {
  if (signal.aborted) return null;
  const aborted = Promise.withResolvers<null>();
  const abort = () => aborted.resolve(null);
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([reading, aborted.promise]).finally(() => signal.removeEventListener('abort', abort));
}

async function readStored(db: Queryable, sessionId: string): Promise<SessionRunbook | null> {
  const { rows } = await db.query<SessionRunbook>(
    'select content, problem from session_runbooks where session_id = $1',
    [sessionId],
  );
  return rows[0] ?? null;
}

/** Stores a runbook. @returns the one that another run stored first, if any */
async function storeOnce(db: Queryable, sessionId: string, runbook: SessionRunbook): Promise<SessionRunbook> {
  const { rows } = await db.query<SessionRunbook>(
    `insert into session_runbooks (session_id, content, problem) values ($1, $2, $3)
     on conflict (session_id) do update set session_id = excluded.session_id returning content, problem`,
    [sessionId, runbook.content, runbook.problem],
  );
  return rows[0]!;
}
