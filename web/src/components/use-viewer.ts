import { useCallback } from 'react';
import { ViewerDocument, type ViewerQuery } from '../graphql/gen/documents.ts';
import { useAfterReconnect } from '../graphql/socket-context.tsx';
import { useQuery } from '../graphql/use-query.ts';

/** Who is signed in; null while that is not known, and where nobody signs in. */
export function useViewer(): ViewerQuery['viewer'] | null {
  const [{ data }, reread] = useQuery({ query: ViewerDocument });
  // They may have signed in anew meanwhile, as somebody else.
  useAfterReconnect(useCallback(() => reread({ requestPolicy: 'network-only' }), [reread]));
  // Whoever has no role is not told who they are: the data is null then.
  const viewer = data?.viewer;
  return viewer === undefined || viewer.via === 'NONE' ? null : viewer;
}
