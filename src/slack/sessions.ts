import type { Viewer } from '../access/viewer.ts';
import { isVisible } from '../access/visibility.ts';
import { NotFoundError } from '../common/errors.ts';
import type { AlertSessionRow } from '../db/entities/index.ts';
import type { Queryable } from '../db/queryable.ts';
import { findSessionOfThread } from '../engine/features/slack/posts.ts';
import { readSession } from '../engine/store/sessions.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns a session that the viewer may see. @throws NotFoundError also for a session of another team */
export async function requireSession(db: Queryable, id: string, viewer: Viewer): Promise<AlertSessionRow> {
  const session = await findVisible(db, id, viewer);
  if (session === null) throw new NotFoundError('There is no session with this id.');
  return session;
}

/** Returns the session whose messages are in a thread; `null` if there is none that the viewer may see. */
export async function sessionOfThread(
  db: Queryable,
  threadTs: string,
  viewer: Viewer,
): Promise<AlertSessionRow | null> {
  const id = await findSessionOfThread(db, threadTs);
  return id === null ? null : findVisible(db, id, viewer);
}

async function findVisible(db: Queryable, id: string, viewer: Viewer): Promise<AlertSessionRow | null> {
  if (!isUuid(id) || !viewer.rights.has('READ')) return null;
  const session = await readSession(db, id);
  return session && isVisible(viewer.teams, session.team) ? session : null;
}

export function isUuid(text: string): boolean {
  return UUID.test(text);
}
