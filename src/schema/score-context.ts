import type DataLoader from 'dataloader';
import type { ScoreRow } from '../db/entities/index.ts';

export interface ScoreLoaders {
  score: DataLoader<string, ScoreRow | null>;
  /** The newest of a session. */
  latestScore: DataLoader<string, ScoreRow | null>;
  /** All of a session, newest first; at most 100. */
  scoresOfSession: DataLoader<string, ScoreRow[]>;
}
