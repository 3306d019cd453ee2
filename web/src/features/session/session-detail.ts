import type { SessionPageQuery } from '../../graphql/gen/documents.ts';

/** A session with the fields that its page selects. */
export type SessionDetail = NonNullable<SessionPageQuery['session']>;

/**
 * Returns when the alerts were resolved; `null` if they were not. A session that was cancelled because its alerts
 * were resolved has only its group's time.
 */
export const resolvedTime = ({ resolvedAt, group }: SessionDetail): string | null =>
  resolvedAt ?? group?.resolvedAt ?? null;
