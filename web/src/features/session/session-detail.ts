import type { SessionPageQuery } from '../../graphql/gen/documents.ts';

/** A session with the fields that the session page selects. */
export type SessionDetail = NonNullable<SessionPageQuery['session']>;

/**
 * Returns when the alerts were resolved; `null` if they were not. If resolved alerts cancelled the session, only its
 * group has the time.
 */
export const resolvedTime = ({ resolvedAt, group }: SessionDetail): string | null =>
  resolvedAt ?? group?.resolvedAt ?? null;
