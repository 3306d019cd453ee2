import { createContext, useContext } from 'react';
import type { OperationResult } from 'urql';
import type { ActiveSessionsQuery, SessionHistoryQuery, SessionSnapshotQuery } from './gen/documents.ts';

interface Answers {
  /** Key: '', because there is only one list of active sessions. */
  readonly active: Promise<OperationResult<ActiveSessionsQuery>>;
  /** Key: the search parameters of the list's view. */
  readonly history: Promise<OperationResult<SessionHistoryQuery>>;
  /** Key: the session's id as in the path. Rejects like `requestOnce`. */
  readonly snapshot: Promise<SessionSnapshotQuery>;
}

/**
 * Answers to the opened page's first requests, which are sent before React renders because rendering takes longer than
 * the answers. Each answer can be taken once.
 */
export interface PrefetchedQueries {
  readonly add: <K extends keyof Answers>(kind: K, key: string, answer: Answers[K]) => void;
  /** Returns an answer; null if it was not requested or was already taken. */
  readonly take: <K extends keyof Answers>(kind: K, key: string) => Answers[K] | null;
}

export function createPrefetchedQueries(): PrefetchedQueries {
  const answers = new Map<string, Promise<unknown>>();
  return {
    add: (kind, key, answer) => {
      // Prevents an unhandled rejection here; the caller that takes the answer handles the failure.
      answer.catch(() => undefined);
      answers.set(`${kind}:${key}`, answer);
    },
    take: <K extends keyof Answers>(kind: K, key: string) => {
      const answer = (answers.get(`${kind}:${key}`) ?? null) as Answers[K] | null;
      answers.delete(`${kind}:${key}`);
      return answer;
    },
  };
}

const PrefetchedQueriesContext = createContext<PrefetchedQueries | null>(null);
export const PrefetchedQueriesProvider = PrefetchedQueriesContext.Provider;

export function usePrefetchedQueries(): PrefetchedQueries {
  const reads = useContext(PrefetchedQueriesContext);
  if (reads === null) throw new Error('usePrefetchedQueries needs a PrefetchedQueriesProvider above it');
  return reads;
}
