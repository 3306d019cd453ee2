import type { Config } from '../../config/types.ts';
import type { AlertSessionRow } from '../../db/entities/index.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { Masking } from '../../masking/masking.ts';
import type { FetchedRunbook, Runbooks } from '../../runbooks/runbooks.ts';
import type { SessionRunbook } from './types.ts';

/**
 * The session's runbook: what its sender named, else the configured text. Fetched once and kept, so that a run that goes
 * on later, and the chat, say the same. One that cannot be had is replaced by the configured text: it must not fail an
 * investigation.
 */
export async function loadSessionRunbook(
  deps: {
    db: Queryable;
    config: Config;
    masking: Pick<Masking, 'maskRunbook'>;
    runbooks: Pick<Runbooks, 'read'>;
  },
  session: AlertSessionRow,
  signal: AbortSignal,
): Promise<SessionRunbook> {
  const general = generalRunbook(deps);
  if (!session.runbookUrl) return { content: general, problem: null };
  const kept = await readKept(deps.db, session.id);
  if (kept) return kept;
  const fetched = await unlessAborted(deps.runbooks.read(session.runbookUrl), signal);
  if (!fetched) return { content: general, problem: null }; // the run ends before anybody reads it
  const runbook =
    'content' in fetched
      ? { content: fetched.content.trim() || null, problem: null }
      : { content: general, problem: fetched.problem };
  return keep(deps.db, session.id, runbook);
}

/** The configured text without its secrets; null = there is none, or they cannot be taken out. */
function generalRunbook({ config, masking }: Parameters<typeof loadSessionRunbook>[0]): string | null {
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

async function readKept(db: Queryable, sessionId: string): Promise<SessionRunbook | null> {
  const { rows } = await db.query<SessionRunbook>(
    'select content, problem from session_runbooks where session_id = $1',
    [sessionId],
  );
  return rows[0] ?? null;
}

/** Whoever comes second is given what the first one kept. */
async function keep(db: Queryable, sessionId: string, runbook: SessionRunbook): Promise<SessionRunbook> {
  const { rows } = await db.query<SessionRunbook>(
    `insert into session_runbooks (session_id, content, problem) values ($1, $2, $3)
     on conflict (session_id) do update set session_id = excluded.session_id returning content, problem`,
    [sessionId, runbook.content, runbook.problem],
  );
  return rows[0]!;
}
