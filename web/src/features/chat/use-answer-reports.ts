import { useCallback, useEffect, useMemo, useRef } from 'react';
import { type AnswerClaimsFragment, AnswerReportsDocument } from '../../graphql/gen/documents.ts';
import { useAfterReconnect } from '../../graphql/live-connection-context.tsx';
import { useQuery } from '../../graphql/use-query.ts';
import type { ChatTurn } from './chat-turns.ts';

/** Returns the verified claims of a session's answers, by question id; reads them again when an answer has ended. */
export function useAnswerReports(
  sessionId: string,
  turns: readonly ChatTurn[],
): ReadonlyMap<string, AnswerClaimsFragment> {
  const ended = turns.filter(({ running }) => !running).length;
  const [{ data }, execute] = useQuery({
    query: AnswerReportsDocument,
    variables: { id: sessionId },
    pause: ended === 0,
  });
  const refetch = useCallback(() => {
    if (ended > 0) execute({ requestPolicy: 'network-only' });
  }, [ended, execute]);
  useAfterReconnect(refetch);
  const read = useRef(ended);
  useEffect(() => {
    if (read.current === ended) return;
    read.current = ended;
    refetch();
  }, [ended, refetch]);
  return useMemo(() => {
    const messages = data?.session?.chat?.messages ?? [];
    return new Map(messages.flatMap(({ id, report }) => (report === null ? [] : [[id, report] as const])));
  }, [data]);
}
