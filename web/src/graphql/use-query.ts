import { useState } from 'react';
import {
  type AnyVariables,
  type CombinedError,
  type UseQueryArgs,
  type UseQueryResponse,
  // biome-ignore lint/style/noRestrictedImports: the one place that builds on it
  useQuery as useUrqlQuery,
} from 'urql';

/**
 * urql's `useQuery`, but keeps the previous data while the server is unreachable: the error comes with it. An answer of
 * the server, even a refusal, replaces it.
 */
export function useQuery<Data, Variables extends AnyVariables>(
  args: UseQueryArgs<Variables, Data>,
): UseQueryResponse<Data, Variables> {
  const [state, execute] = useUrqlQuery(args);
  const { data, error, operation } = state;
  const key = operation?.key;
  const [last, setLast] = useState({ data, key });
  const isRefused = error !== undefined && !isUnavailable(error);
  if (data == null && !isRefused) {
    const previous = last.key === key ? last.data : undefined;
    return [previous === undefined ? state : { ...state, data: previous }, execute];
  }
  if (data !== last.data) setLast({ data, key });
  return [state, execute];
}

/** True if the server did not answer, or only a proxy did. */
function isUnavailable({ networkError, response }: CombinedError): boolean {
  return networkError !== undefined || ((response as Response | undefined)?.status ?? 0) >= 500;
}
