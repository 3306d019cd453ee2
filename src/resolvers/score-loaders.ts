import type { ScoreRow } from '../db/entities/index.ts';
import type { Loaders } from '../schema/context.ts';
import type { ScoreLoaders } from '../schema/score-context.ts';
import type { Batches } from './reads/batches.ts';
import { sessionShown } from './reads/in-sight.ts';
import type { Table } from './reads/tables.ts';

/** Scores of one session that are read. */
const MAX_SCORES = 100;

/** What is read of the scores of sessions that are shown to who asks. */
export function createScoreLoaders(score: Table, { one, many, rows, shownById }: Batches) {
  const newest = (limit: number) => `
    select ${score.columns} from unnest($1::uuid[]) k (id) cross join lateral (
      select * from scores s where s.session_id = k.id order by s.id desc limit ${limit}) t order by t.id desc`;
  return {
    score: () => shownById(score, sessionShown),
    latestScore: () => one((ids) => rows<ScoreRow>(newest(1), ids), 'sessionId'),
    scoresOfSession: () => many((ids) => rows<ScoreRow>(newest(MAX_SCORES), ids), 'sessionId'),
  } satisfies { [Name in keyof ScoreLoaders]: () => Loaders[Name] };
}
