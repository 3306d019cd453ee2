import { ValidationError } from '../common/errors.ts';
import type { AccessConfig } from '../config/types.ts';
import type { Viewer } from './viewer.ts';

/** The team of a token that sees all teams. */
export const EVERY_TEAM = '*';

export const NO_TEAMS = 'The configuration has no teams; leave the team out.';

/** `null` if the configuration has no teams. */
export function teamNames({ teams }: Pick<AccessConfig, 'teams'>): readonly string[] | null {
  return teams === null ? null : Object.keys(teams);
}

/**
 * Returns the team of a submitted alert: the one that the sender names, which must be theirs, or that of their token.
 * @param known configured teams; `null` if there are none
 * @throws ValidationError
 */
export function teamOfSender(
  { via, teams }: Pick<Viewer, 'via' | 'teams'>,
  wanted: string | null,
  known: readonly string[] | null,
): string | null {
  if (wanted === null) return via === 'TOKEN' ? (teams?.[0] ?? null) : null;
  const own = teams ?? known;
  if (own === null) throw new ValidationError(NO_TEAMS, 'team');
  if (own.includes(wanted)) return wanted;
  throw new ValidationError(
    own.length === 0
      ? 'You are in no team; leave the team out.'
      : `You are not in this team; yours are ${own.join(', ')}.`,
    'team',
  );
}
