import { ViewerDocument } from '../graphql/gen/documents.ts';
import { useQuery } from '../graphql/use-query.ts';

/** True if the user is signed in but has no role. */
export function useHasNoRole(): boolean {
  const [{ error }] = useQuery({ query: ViewerDocument });
  return error?.graphQLErrors.some(({ extensions }) => extensions.code === 'FORBIDDEN') ?? false;
}
