import { useCallback } from 'react';
import { ViewerDocument, type ViewerQuery } from '../graphql/gen/documents.ts';
import { useAfterReconnect } from '../graphql/live-connection-context.tsx';
import { useQuery } from '../graphql/use-query.ts';

/** Returns the signed-in user; null while unknown and without authentication. */
export function useViewer(): ViewerQuery['viewer'] | null {
  const [{ data }, refetch] = useQuery({ query: ViewerDocument });
  // Reads the user again after a reconnection, because another user may have signed in.
  useAfterReconnect(useCallback(() => refetch({ requestPolicy: 'network-only' }), [refetch]));
  // Undefined while loading, and for users without a role, because the server gives them no data.
  const viewer = data?.viewer;
  return viewer === undefined || viewer.via === 'NONE' ? null : viewer;
}
