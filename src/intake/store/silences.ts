import { compileMatchers, type LabelMatch } from '../../config/matchers.ts';
import type { SilenceRow } from '../../db/entities/index.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import { readRows } from './rows.ts';

export interface ActiveSilence extends Pick<SilenceRow, 'id' | 'endsAt'> {
  matches: LabelMatch;
  /** The teams whose alerts the silence covers, in addition to alerts without a team; `null` for all teams. */
  teams: readonly string[] | null;
}

/** Returns the silences in effect now, by the database's clock, sorted from the latest end to the earliest. */
export async function activeSilences(db: Queryable): Promise<ActiveSilence[]> {
  const query = `select to_jsonb(s) as row from silences s
    where starts_at <= clock_timestamp() and ends_at > clock_timestamp() order by ends_at desc`;
  return (await readRows<SilenceRow>(db, prepared(query), [])).map(activeSilence);
}

export function activeSilence({ id, endsAt, matchers, teams = null }: SilenceRow): ActiveSilence {
  return { id, endsAt, matches: compileMatchers(matchers), teams };
}

/**
 * Returns the silence whose end first leaves one of the team's alerts uncovered; `null` if an alert is not covered now.
 */
export function coveringSilence(
  all: readonly ActiveSilence[],
  team: string | null,
  alerts: readonly Readonly<Record<string, string>>[],
): ActiveSilence | null {
  const silences = all.filter(({ teams }) => team === null || teams === null || teams.includes(team));
  let first: ActiveSilence | null = null;
  for (const labels of alerts) {
    const longest = silences.find(({ matches }) => matches(labels));
    if (longest === undefined) return null;
    if (first === null || longest.endsAt < first.endsAt) first = longest;
  }
  return first;
}

export async function countMatched(tx: Queryable, silenceId: string, alerts: number): Promise<void> {
  const update = 'update silences set matched_count = matched_count + $2 where id = $1';
  await tx.query(prepared(update), [silenceId, alerts]);
}
