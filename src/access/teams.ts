import { ValidationError } from '../common/errors.ts';
import type { AccessConfig } from '../config/types.ts';
import type { Viewer } from './viewer.ts';

/** Of a token: bound to no team, and sees them all. */
export const EVERY_TEAM = '*';

/** Who names a team is told. */
export const NO_TEAMS = 'The configuration has no teams; leave the team out.';

/** Those of the configuration; null = it has none. */
export function teamNames({ teams }: Pick<AccessConfig, 'teams'>): readonly string[] | null {
  return teams === null ? null : Object.keys(teams);
}

/**
 * Whose an alert is by the word of who sends it: the team that they name, which must be theirs, else that of their token; null =
 * they do not say.
 * @param known teams of the configuration; null = it has none
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

/** @throws ValidationError when the configuration has no teams */
function requireTeams(known: readonly string[] | null): readonly string[] {
  if (known === null) throw new ValidationError(NO_TEAMS, 'team');
  return known;
}
