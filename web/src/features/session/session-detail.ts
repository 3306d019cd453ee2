import type { SessionPageQuery } from '../../graphql/gen/documents.ts';

/** A session with the fields that the session page selects. */
export type SessionDetail = NonNullable<SessionPageQuery['session']>;

/**
 * Returns when the alerts were resolved; `null` if they were not. A session that was cancelled because its
 * alerts resolved has the time only in its group.
 */
export const resolvedTime = ({ resolvedAt, group }: SessionDetail): string | null =>
  resolvedAt ?? group?.resolvedAt ?? null;
