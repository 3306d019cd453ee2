import { createContext, useContext } from 'react';
import type { OperationResult } from 'urql';
import type { ActiveSessionsQuery, SessionHistoryQuery, SessionSnapshotQuery } from './gen/documents.ts';

interface Answers {
  /** Of '': there is one such list. */
  readonly active: Promise<OperationResult<ActiveSessionsQuery>>;
  /** Of a view, as its address says it. */
  readonly history: Promise<OperationResult<SessionHistoryQuery>>;
  /** Of a session, as the page's path names it. Rejects as `requestOnce`. */
  readonly snapshot: Promise<SessionSnapshotQuery>;
}

/**
 * What the page that is opened asks first, asked before anything is drawn: drawing its frame takes longer than the
 * answer. Whoever takes an answer takes it away; the next one has to ask by themselves.
 */
export interface FirstReads {
  readonly ask: <K extends keyof Answers>(kind: K, of: string, answer: Answers[K]) => void;
  /** Null when it was not asked for, or for another, or has been taken. */
  readonly take: <K extends keyof Answers>(kind: K, of: string) => Answers[K] | null;
}

export function createFirstReads(): FirstReads {
  const asked = new Map<string, Promise<unknown>>();
  return {
    ask: (kind, of, answer) => {
      // Its taker is told of a failure.
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
