import { useMutation } from 'urql';
import { errorText } from '../../components/notice.tsx';
import { ReviewSessionsDocument, type ReviewSessionsInput } from '../../graphql/gen/documents.ts';

export type ReviewChange = Omit<ReviewSessionsInput, 'sessionIds'>;

/** The way to do something about the review of a session. */
export function useReview(sessionId: string) {
  const [{ fetching, data, error }, review] = useMutation(ReviewSessionsDocument);
  const result = data?.reviewSessions[0];
  return {
    fetching,
    /** Why the last was not done. */
    refusal: result !== undefined && 'message' in result ? result.message : error && errorText(error),
    /** @returns whether it was done */
    async act(change: ReviewChange): Promise<boolean> {
      const answer = await review({ input: { sessionIds: [sessionId], ...change } });
      return answer.data?.reviewSessions[0]?.__typename === 'ReviewSessionSuccess';
    },
  };
}
