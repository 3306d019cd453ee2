import { createContext, useContext } from 'react';
import type { OperationResult } from 'urql';
import type { ActiveSessionsQuery, SessionHistoryQuery, SessionSnapshotQuery } from './gen/documents.ts';

interface Answers {
  /** Key: '', because there is one list. */
  readonly active: Promise<OperationResult<ActiveSessionsQuery>>;
  /** Key: the view's address. */
  readonly history: Promise<OperationResult<SessionHistoryQuery>>;
  /** Key: the session's id as in the path. Rejects like `requestOnce`. */
  readonly snapshot: Promise<SessionSnapshotQuery>;
}

/**
 * First requests of the opened page, sent before React renders because rendering takes longer than the answer. Each
 * answer can be taken once.
 */
export interface FirstReads {
  readonly ask: <K extends keyof Answers>(kind: K, of: string, answer: Answers[K]) => void;
  /** Returns an answer; null if it was not requested or was already taken. */
  readonly take: <K extends keyof Answers>(kind: K, of: string) => Answers[K] | null;
}

export function createFirstReads(): FirstReads {
  const asked = new Map<string, Promise<unknown>>();
  return {
    ask: (kind, of, answer) => {
      // The caller that takes the answer handles a failure.
      answer.catch(() => undefined);
      asked.set(`${kind}:${of}`, answer);
    },
    take: <K extends keyof Answers>(kind: K, of: string) => {
      const answer = (asked.get(`${kind}:${of}`) ?? null) as Answers[K] | null;
      asked.delete(`${kind}:${of}`);
      return answer;
    },
  };
}

const FirstReadsContext = createContext<FirstReads | null>(null);
export const FirstReadsProvider = FirstReadsContext.Provider;

/** Throws outside its provider. */
export function useFirstReads(): FirstReads {
  const reads = useContext(FirstReadsContext);
  if (reads === null) throw new Error('useFirstReads needs a FirstReadsProvider above it');
  return reads;
}
