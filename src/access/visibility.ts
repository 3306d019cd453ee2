/** The teams whose objects a viewer sees, in addition to objects without a team; `null` = all teams. */
export type Visibility = readonly string[] | null;

/**
 * True if a viewer may see an object of this team. Only this function and the SQL conditions below decide visibility.
 */
export function isVisible(sight: Visibility, team: string | null | undefined): boolean {
  return sight === null || team == null || sight.includes(team);
}

/** Returns the parameter value for the SQL conditions below. The element `''` stands for objects without a team. */
export function visibilityParameter(sight: Visibility): string[] | null {
  return sight === null ? null : ['', ...sight];
}

/**
 * Returns the SQL condition for visible rows.
 * @param place parameter that holds `visibilityParameter`, such as $2
 */
export function visibleSql(team: string, place: string): string {
  // Written without coalesce, because PostgreSQL has statistics about the column, but not about an expression.
  return `(${place}::text[] is null or ${team} = any(${place}::text[]) or ${team} is null and '' = any(${place}::text[]))`;
}

/** Returns `visibleSql` split into disjoint conditions, so that an index on the team finds exactly the rows of each. */
export function visiblePartsSql(team: string, place: string, teams: readonly string[] | null): string[] {
  if (teams === null) return [`${place}::text[] is null`];
  const none = teams.includes('') ? [`${team} is null`] : [];
  return [`${team} = any(${place}::text[])`, ...none];
}

/** Returns the condition for rows with several teams: one visible team suffices, and rows without teams are visible. */
export function anyTeamVisibleSql(teams: string, place: string): string {
  return `(${place}::text[] is null or coalesce(${teams}, '{}') = '{}' or ${teams} && ${place}::text[])`;
}

/** Returns the requested teams that are visible; `''` is not a team and is dropped. */
export function requestedTeams(sight: Visibility, teams: readonly string[]): string[] {
  return teams.filter((team) => team !== '' && (sight === null || sight.includes(team)));
}
