import { useState } from 'react';
import { useClient } from 'urql';
import { SessionCountsDocument, type SessionFacet } from '../../graphql/gen/documents.ts';
import { type ListView, viewVariables } from './list-view.ts';

/** Says of a value how many have it. */
type CountOf = (value: string) => string;

export interface Counts {
  /** Asks how many sessions each value of a facet would find, when somebody wants to see it. */
  readonly ask: (by: SessionFacet) => void;
  /** What was found; undefined until it is there. */
  readonly of: (by: SessionFacet) => CountOf | undefined;
}

/** Counts of what the other conditions of a view find. They are asked for one facet at a time: nobody pays for what nobody opens. */
export function useCounts(view: ListView): Counts {
  const client = useClient();
  const [known, setKnown] = useState<{ by: SessionFacet; of?: CountOf } | null>(null);
  const ask = async (by: SessionFacet): Promise<void> => {
    const asked = { by };
    setKnown(asked);
    const { filter } = viewVariables(view, Date.now());
    const options = { requestPolicy: 'network-only' } as const;
    const { data } = await client.query(SessionCountsDocument, { by, filter }, options).toPromise();
    if (!data) return; // the choices do without
    const { values, whole } = data.sessionCounts;
    const counts = new Map(values.map(({ value, count }) => [value, count]));
    // Only the newest were counted of very many: there are at least as many.
    const more = whole ? '' : '+';
    const of: CountOf = (value) => `${(counts.get(value) ?? 0).toLocaleString('en')}${more}`;
    // Another may have been asked meanwhile, whose answer is there already.
    setKnown((now) => (now === asked ? { by, of } : now));
  };
  return {
    ask: (by) => void ask(by),
    of: (by) => (known?.by === by ? known.of : undefined),
  };
}
