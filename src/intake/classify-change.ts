import type { AlertRow } from '../db/entities/index.ts';
import { SEVERITIES, type Severity } from '../db/enums.ts';
import type { IncomingAlert } from './delivery.ts';
import { LATE_DELIVERY_MS } from './tunables.ts';

/**
 * What a delivery says of an alert that is known.
 *
 *   NEW       not known before
 *   EPISODE   it began again
 *   WORSE     it goes on, and its severity rose
 *   RESOLVED  it is over
 *   SAME      nothing but perhaps its texts
 *   OLD       of a time before what is known: came late, and changes nothing
 */
export type Change = 'NEW' | 'EPISODE' | 'WORSE' | 'RESOLVED' | 'SAME' | 'OLD';

export type KnownAlert = Pick<AlertRow, 'state' | 'severity' | 'sentStartsAt' | 'episode' | 'lastReceivedAt'>;

/** Senders repeat, and may be out of order: what is known decides what a delivery that comes now means. */
export function compare(
  known: KnownAlert | null,
  incoming: Pick<IncomingAlert, 'state' | 'episode' | 'startsAt' | 'endsAt'> & { severity: Severity },
  now: Date,
): Change {
  if (known === null) return 'NEW';
  const { startsAt, endsAt } = incoming;
  const begun = known.sentStartsAt ?? null; // times are compared only with the source's own: clocks differ
  const isSameEpisode = known.episode !== null && known.episode === incoming.episode;
  const isOtherEpisode = known.episode !== null && incoming.episode !== null && !isSameEpisode;
  if (incoming.state === 'RESOLVED') {
    if (known.state === 'RESOLVED') return 'SAME';
    const isEarlier = endsAt !== null && begun !== null && endsAt < begun;
    return isOtherEpisode || isEarlier ? 'OLD' : 'RESOLVED';
  }
  if (known.state === 'RESOLVED') {
    // The same start later is no late delivery: a source that lost sight of an alert calls it over, and then finds that it goes on.
    const mayBeLate = now.getTime() - known.lastReceivedAt.getTime() < LATE_DELIVERY_MS;
    const hasEnded = startsAt !== null && begun !== null && startsAt <= begun && mayBeLate;
    return isSameEpisode || hasEnded ? 'OLD' : 'EPISODE';
  }
  if (isOtherEpisode) return 'EPISODE';
  if (!isSameEpisode && startsAt !== null && begun !== null) {
    if (startsAt < begun) return 'OLD';
    if (startsAt > begun) return 'EPISODE';
  }
  return SEVERITIES.indexOf(incoming.severity) < SEVERITIES.indexOf(known.severity) ? 'WORSE' : 'SAME';
}
