import { useCallback } from 'react';
import { useMutation } from 'urql';
import { refusalText } from '../../components/notice.tsx';
import type { ServerViewFragment } from '../../graphql/gen/documents.ts';
import {
  DeleteServerViewDocument,
  SaveServerViewDocument,
  ServerViewsDocument,
} from '../../graphql/gen/lazy-documents.ts';
import { useQuery } from '../../graphql/use-query.ts';

export interface ServerViews {
  /** The viewer's views and those of the viewer's teams, by name. */
  readonly views: readonly ServerViewFragment[];
  /** Deletes a view. Reads the list again. */
  readonly remove: (id: string) => void;
}

/** Returns the views of the list of sessions that the server keeps. */
export function useServerViews(): ServerViews {
  const [{ data }, refetch] = useQuery({ query: ServerViewsDocument, requestPolicy: 'cache-and-network' });
  const [, deleteView] = useMutation(DeleteServerViewDocument);
  const remove = useCallback(
    (id: string) => void deleteView({ id }).then(() => refetch({ requestPolicy: 'network-only' })),
    [deleteView, refetch],
  );
  return { views: data?.savedViews ?? [], remove };
}

export interface SavingView {
  readonly sending: boolean;
  /** Reason why the server refused the view; undefined if it has not. */
  readonly refusal: string | undefined;
  /** Saves a view for the viewer, or for a team. Returns true if the server has saved it. */
  readonly save: (view: { name: string; parameters: string; team: string | null }) => Promise<boolean>;
}

export function useSaveServerView(): SavingView {
  const [{ fetching, data, error }, send] = useMutation(SaveServerViewDocument);
  const save: SavingView['save'] = useCallback(
    async (view) => {
      const answer = await send({ input: { page: 'sessions', ...view } });
      return answer.data?.saveView.__typename === 'SaveViewSuccess';
    },
    [send],
  );
  return { sending: fetching, refusal: refusalText(data?.saveView, error), save };
}
