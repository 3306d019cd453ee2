import type { AlertRow } from '../db/entities/index.ts';
import { SEVERITIES } from '../db/enums.ts';
import type { IncomingAlert } from './delivery.ts';
import { LATE_DELIVERY_MS } from './tunables.ts';

/**
 * The change that a delivery reports about an alert.
 *
 *   NEW       the alert was not known before
 *   EPISODE   a resolved alert fires again, or a new firing period replaces the known one
 *   WORSE     the alert still fires, and its severity rose
 *   RESOLVED  the alert is resolved
 *   SAME      nothing changed, except perhaps texts or a severity that fell
 *   OLD       the delivery is older than the known state and changes nothing
 */
export type AlertChange = 'NEW' | 'EPISODE' | 'WORSE' | 'RESOLVED' | 'SAME' | 'OLD';

/** Returns the change that a delivery reports about an alert. Senders repeat deliveries and send them out of order. */
export function classifyChange(
  known: Pick<AlertRow, 'state' | 'severity' | 'sentStartsAt' | 'episode' | 'lastReceivedAt'> | null,
  incoming: Pick<IncomingAlert, 'state' | 'severity' | 'episode' | 'startsAt' | 'endsAt'>,
  now: Date,
): AlertChange {
  if (known === null) return 'NEW';
  const { startsAt, endsAt } = incoming;
  const knownStart = known.sentStartsAt ?? null; // as the source sent it, because its clock may differ from ours
  const isSameEpisode = known.episode !== null && known.episode === incoming.episode;
  const isOtherEpisode = known.episode !== null && incoming.episode !== null && !isSameEpisode;
  if (incoming.state === 'RESOLVED') {
    if (known.state === 'RESOLVED') return 'SAME';
    const isEarlier = endsAt !== null && knownStart !== null && endsAt < knownStart;
    return isOtherEpisode || isEarlier ? 'OLD' : 'RESOLVED';
  }
  if (known.state === 'RESOLVED') {
    // Later, the same start means a new episode: a source that lost an alert reports it as resolved, then as firing.
    const mayBeLate = now.getTime() - known.lastReceivedAt.getTime() < LATE_DELIVERY_MS;
    const hasEnded = startsAt !== null && knownStart !== null && startsAt <= knownStart && mayBeLate;
    return isSameEpisode || hasEnded ? 'OLD' : 'EPISODE';
  }
  if (isOtherEpisode) return 'EPISODE';
  if (!isSameEpisode && startsAt !== null && knownStart !== null) {
    if (startsAt < knownStart) return 'OLD';
    if (startsAt > knownStart) return 'EPISODE';
  }
  return SEVERITIES.indexOf(incoming.severity) < SEVERITIES.indexOf(known.severity) ? 'WORSE' : 'SAME';
}
