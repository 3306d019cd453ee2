import { useQuery } from 'urql';
import { ViewerDocument } from '../graphql/gen/documents.ts';

/** Whether the reader may investigate, silence and the like. True while that is not known: the server decides. */
export function useMayRespond(): boolean {
  const [{ data }] = useQuery({ query: ViewerDocument });
  return data?.viewer.role !== 'VIEWER';
}
