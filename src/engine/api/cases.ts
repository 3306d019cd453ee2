import type { Verdict } from '../../db/enums.ts';

/** A case to make of a session. An expectation that is `null` is taken from the session's review. */
export interface CreateCaseInput {
  sessionId: string;
  name: string;
  verdict: Verdict | null;
  mustSay: readonly string[] | null;
  mustNotSay: readonly string[] | null;
  entities: readonly string[] | null;
  cause: string | null;
  causes: readonly string[] | null;
}

/** Replays of a case to start. */
export interface ReplayCaseInput {
  caseId: string;
  /** Provider of every model call; `null` for the configured providers. */
  llmProvider: string | null;
  /** Number of replays to start, 1–20. */
  runs: number;
  /** Suite to which the replays belong; `null`: they are a suite of their own. */
  suite: ReplaySuite | null;
}

/** Replays that are judged together once all have ended. */
export interface ReplaySuite {
  /** UUID that the caller chooses. */
  id: string;
  /** Number of replays that the suite will have, 1–10,000. */
  size: number;
}
