import type { EarlierAlertQuery } from '../../graphql/gen/documents.ts';
import { EarlierAlertDocument } from '../../graphql/gen/lazy-documents.ts';
import { useQuery } from '../../graphql/use-query.ts';
import { useSearchParams } from '../../lib/router.tsx';

export interface EarlierAlert {
  readonly wanted: boolean;
  readonly loading: boolean;
  /** `null` while loading, if the URL names no session, or if the session could not be read. */
  readonly alert: NonNullable<EarlierAlertQuery['session']> | null;
}

/** Reads the alert of the session in `/submit?from=<id>`, to submit it again. */
export function useEarlierAlert(): EarlierAlert {
  const [params] = useSearchParams();
  const id = params.get('from') ?? '';
  const [{ data, fetching }] = useQuery({
    query: EarlierAlertDocument,
    variables: { id },
    pause: id === '',
  });
  return { wanted: id !== '', loading: id !== '' && fetching, alert: data?.session ?? null };
}
