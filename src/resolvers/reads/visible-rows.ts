import { visibleSql } from '../../access/visibility.ts';

/** Returns the SQL condition that row `t` is visible. @param place placeholder of the `visibilityParameter` */
export type Shown = (place: string) => string;

/** Condition for a visible session `s`. Deleted sessions are hidden together with their data. */
const shownSession = (place: string): string => `s.deleted_at is null and ${visibleSql('s.team', place)}`;

export const sessionShown: Shown = (place) =>
  `exists (select 1 from alert_sessions s where s.id = t.session_id and ${shownSession(place)})`;

export const chatShown: Shown = (place) =>
  `exists (select 1 from chats c join alert_sessions s on s.id = c.session_id where c.id = t.chat_id and ${shownSession(place)})`;

export const groupShown: Shown = (place) =>
  `exists (select 1 from alert_groups g where g.id = t.group_id and ${visibleSql('g.team', place)})`;
