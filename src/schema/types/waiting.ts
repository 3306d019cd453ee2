import { isTerminalStatus } from '../../db/enums.ts';
import type { SessionSnapshot } from '../../engine/api/engine.ts';
import { objectType } from '../builder.ts';
import type { Loaders } from '../context.ts';
import { enums } from '../enums.ts';
import type { WaitingView } from '../views.ts';

export const Waiting = objectType<WaitingView>('Waiting', 'Why something waits.', (t) => ({
  reason: t.expose('reason', { type: enums.WaitReason, description: 'Kind of the cause.' }),
  message: t.exposeString('message', { description: 'The cause in a sentence, for people.' }),
  since: t.expose('since', { type: 'DateTime', description: 'When the wait began.' }),
  until: t.expose('until', {
    type: 'DateTime',
    nullable: true,
    description: 'When the wait ends at the latest; null if only an event ends it.',
  }),
}));

/** Returns why a session waits; `null` while it runs freely or has ended. */
export async function waitingOf(
  session: SessionSnapshot,
  { waitingOfSession }: Pick<Loaders, 'waitingOfSession'>,
): Promise<WaitingView | null> {
  return mayWait(session) ? waitingOfSession.load(session.id) : null;
}

/** False if the row proves that the session does not wait. This saves a read for each event of a running session. */
function mayWait({ status, wait, leaseExpiresAt }: SessionSnapshot): boolean {
  if (isTerminalStatus(status)) return false;
  return status !== 'IN_PROGRESS' || wait != null || leaseExpiresAt == null || leaseExpiresAt < new Date();
}
