import { useState } from 'react';
import { useClient } from 'urql';
import { SessionCountsDocument, type SessionFacet } from '../../graphql/gen/documents.ts';
import { type ListView, viewVariables } from './list-view.ts';

/** Returns the number of sessions that have a value, as text. */
type CountOf = (value: string) => string;

export interface FacetCounts {
  /** Counts the sessions that each value of a facet (a filter field) would match. */
  readonly load: (by: SessionFacet) => void;
  /** Returns the counts of a facet; undefined until loaded. */
  readonly of: (by: SessionFacet) => CountOf | undefined;
}

/**
 * Counts the matches per filter value, given the view's other filters. Only the facet that the viewer opens is
 * queried.
 */
export function useFacetCounts(view: ListView): FacetCounts {
  const client = useClient();
  const [loaded, setLoaded] = useState<{ by: SessionFacet; of?: CountOf } | null>(null);
  const load = async (by: SessionFacet): Promise<void> => {
    const request = { by };
    setLoaded(request);
    const { filter } = viewVariables(view, Date.now());
    const options = { requestPolicy: 'network-only' } as const;
    const { data } = await client.query(SessionCountsDocument, { by, filter }, options).toPromise();
    if (!data) return; // after an error, the options show no counts
    const { values, whole } = data.sessionCounts;
    const counts = new Map(values.map(({ value, count }) => [value, count]));
    // If there are very many sessions, the server counts only the newest, so the count is a minimum.
    const more = whole ? '' : '+';
    const of: CountOf = (value) => `${(counts.get(value) ?? 0).toLocaleString('en')}${more}`;
    // An outdated answer is ignored, because a later query may have been answered first.
    setLoaded((current) => (current === request ? { by, of } : current));
  };
  return {
    load: (by) => void load(by),
    of: (by) => (loaded?.by === by ? loaded.of : undefined),
  };
}
