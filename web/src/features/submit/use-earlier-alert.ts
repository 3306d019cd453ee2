import { EarlierAlertDocument, type EarlierAlertQuery } from '../../graphql/gen/documents.ts';
import { useQuery } from '../../graphql/use-query.ts';
import { useSearchParams } from '../../lib/router.tsx';

export interface EarlierAlert {
  /** The address names a session to begin from. */
  readonly wanted: boolean;
  readonly loading: boolean;
  /** Null: there is no such session, or it could not be read. */
  readonly alert: NonNullable<EarlierAlertQuery['session']> | null;
}

/** The alert of the session that `/submit?from=<id>` names: what is submitted again begins as it was. */
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
