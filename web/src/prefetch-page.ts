import type { Client } from 'urql';
import { formatView, viewVariables } from './features/sessions/list-view.ts';
import { parseSavedViews, SAVED_VIEWS, viewFromParams } from './features/sessions/saved-views.ts';
import {
  ActiveSessionsDocument,
  SessionHistoryDocument,
  SessionPageDocument,
  SessionSnapshotDocument,
} from './graphql/gen/documents.ts';
import { createPrefetchedQueries, type PrefetchedQueries } from './graphql/prefetched-queries.ts';
import { requestOnce } from './graphql/request.ts';
import { readStored } from './lib/stored.ts';
import { pages, sessionOfPath } from './pages.ts';

/** Sends the first requests of a page before React renders it. `pathname` is its path below the sub-path. */
export function prefetchPage(client: Client, pathname: string, search: string): PrefetchedQueries {
  const prefetched = createPrefetchedQueries();
  const session = sessionOfPath(pathname);
  if (pathname === '/') {
    const view = viewFromParams(new URLSearchParams(search), parseSavedViews(readStored(SAVED_VIEWS)));
    const options = { requestPolicy: 'network-only' } as const;
    const history = client.query(SessionHistoryDocument, viewVariables(view, Date.now()), options);
    prefetched.add('active', '', client.query(ActiveSessionsDocument, {}, options).toPromise());
    prefetched.add('history', formatView(view).toString(), history.toPromise());
  } else if (session !== null) {
    // Ignores a failure, because the page imports this code again when it renders and then reports the failure.
    pages.session().catch(() => undefined);
    const variables = { id: session };
    prefetched.add('snapshot', session, requestOnce(client, SessionSnapshotDocument, variables));
    // Fills the cache, from which the page reads the answer.
    void client.query(SessionPageDocument, variables).toPromise();
  }
  return prefetched;
}
