import { useMutation } from 'urql';
import { refusalText } from '../../components/notice.tsx';
import type { ReviewSessionsInput } from '../../graphql/gen/documents.ts';
import { ReviewSessionsDocument } from '../../graphql/gen/lazy-documents.ts';

export type ReviewChange = Omit<ReviewSessionsInput, 'sessionIds'>;

/** Provides the actions on a session's review. */
export function useReview(sessionId: string) {
  const [{ fetching, data, error }, review] = useMutation(ReviewSessionsDocument);
  const result = data?.reviewSessions[0];
  return {
    fetching,
    /** The server's reason for refusing the last action. */
    refusal: refusalText(result, error),
    /** Returns true if the server accepted the change. */
    async act(change: ReviewChange): Promise<boolean> {
      const answer = await review({ input: { sessionIds: [sessionId], ...change } });
      return answer.data?.reviewSessions[0]?.__typename === 'ReviewSessionSuccess';
    },
  };
}
