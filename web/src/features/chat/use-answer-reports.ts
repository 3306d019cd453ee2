import { useEffect, useMemo, useRef } from 'react';
import { useQuery } from 'urql';
import { type AnswerClaimsFragment, AnswerReportsDocument } from '../../graphql/gen/documents.ts';
import type { ChatTurn } from './chat-turns.ts';

/** What the answers of a session claim, by their questions; read again whenever an answer has ended. */
export function useAnswerReports(
  sessionId: string,
  turns: readonly ChatTurn[],
): ReadonlyMap<string, AnswerClaimsFragment> {
  const ended = turns.filter(({ running }) => !running).length;
  const [{ data }, reread] = useQuery({
    query: AnswerReportsDocument,
    variables: { id: sessionId },
    pause: ended === 0,
  });
  const read = useRef(ended);
  useEffect(() => {
    if (read.current === ended) return;
    read.current = ended;
    reread({ requestPolicy: 'network-only' });
  }, [ended, reread]);
  return useMemo(() => {
    const messages = data?.session?.chat?.messages ?? [];
    return new Map(messages.flatMap(({ id, report }) => (report === null ? [] : [[id, report] as const])));
  }, [data]);
}
