import { ValidationError } from '../common/errors.ts';
import type { AccessConfig } from '../config/types.ts';
import type { Viewer } from './viewer.ts';

/** The team of a token that is bound to no team and sees all of them. */
export const EVERY_TEAM = '*';

/** Error text for a team name where no teams are configured. */
export const NO_TEAMS = 'The configuration has no teams; leave the team out.';

/** Returns the configured team names; `null` if the configuration has no teams. */
export function teamNames({ teams }: Pick<AccessConfig, 'teams'>): readonly string[] | null {
  return teams === null ? null : Object.keys(teams);
}

/**
 * Returns the team of a submitted alert: the team that the sender names, which must be one of theirs, or the team of
 * their token. `null` if neither says one.
 * @param known configured teams; `null` if there are none
 * @throws ValidationError
 */
export function teamOfSender(
  { via, teams }: Pick<Viewer, 'via' | 'teams'>,
  wanted: string | null,
  known: readonly string[] | null,
): string | null {
  if (wanted === null) return via === 'TOKEN' ? (teams?.[0] ?? null) : null;
  const own = teams ?? requireTeams(known);
  if (own.includes(wanted)) return wanted;
  throw new ValidationError(
    own.length === 0
      ? 'You are in no team; leave the team out.'
      : `Of your teams none has this name; they are ${own.join(', ')}.`,
    'team',
  );
}

/** @throws ValidationError if the configuration has no teams */
function requireTeams(known: readonly string[] | null): readonly string[] {
  if (known === null) throw new ValidationError(NO_TEAMS, 'team');
  return known;
}
