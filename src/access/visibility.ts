/** Teams whose objects somebody sees, besides what is of no team; null = all. */
export type Visibility = readonly string[] | null;

/** Whether an object of this team is among what they see. Here and in the conditions below it is decided, nowhere else. */
export function isVisible(sight: Visibility, team: string | null | undefined): boolean {
  return sight === null || team == null || sight.includes(team);
}

/** A sight as the conditions take it. No team has the name ''. */
export function visibilityParameter(sight: Visibility): string[] | null {
  return sight === null ? null : ['', ...sight];
}

/** The same as a condition of SQL. @param place of `visibilityParameter` in the statement, such as $2 */
export function visibleSql(team: string, place: string): string {
  // Not with coalesce: the database knows how many rows a team has, but nothing of an expression.
  return `(${place}::text[] is null or ${team} = any(${place}::text[]) or ${team} is null and '' = any(${place}::text[]))`;
}

/** … in parts that have no row in common, each of which reads no more of an index by teams than what it finds. */
export function visiblePartsSql(team: string, place: string, teams: readonly string[] | null): string[] {
  if (teams === null) return [`${place}::text[] is null`];
  const none = teams.includes('') ? [`${team} is null`] : [];
  return [`${team} = any(${place}::text[])`, ...none];
}

/** … of what is of several teams: seen with any of them; null and none are no team. */
export function anyTeamVisibleSql(teams: string, place: string): string {
  return `(${place}::text[] is null or coalesce(${teams}, '{}') = '{}' or ${teams} && ${place}::text[])`;
}

/** Of a sight those teams that are asked for; nobody asks for what is of no team. */
export function requestedTeams(sight: Visibility, teams: readonly string[]): string[] {
  return teams.filter((team) => team !== '' && (sight === null || sight.includes(team)));
}
