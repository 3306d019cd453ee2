import { ValidationError } from '../common/errors.ts';
import type { AccessConfig } from '../config/types.ts';
import type { Viewer } from './viewer.ts';

/** Value for the team of a token that sees the objects of all teams. */
export const EVERY_TEAM = '*';

export const NO_TEAMS = 'The configuration has no teams; leave the team out.';

/** Returns the names of the configured teams; `null` if none are configured. */
export function teamNames({ teams }: Pick<AccessConfig, 'teams'>): readonly string[] | null {
  return teams === null ? null : Object.keys(teams);
}

/**
 * Returns the team of a submitted alert: `wanted`, or else the team of the sender's token, or `null`.
 * @param known configured teams; `null` if there are none
 * @throws ValidationError if the sender is not in the team `wanted`
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
