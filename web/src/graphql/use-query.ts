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
 * urql's `useQuery`, but while the server is unavailable, returns the previous data together with the error. An answer
 * of the server, even a refusal, replaces the previous data.
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

/** True if there was no answer, or an HTTP status from 500 up, as from a proxy without its server. */
function isUnavailable({ networkError, response }: CombinedError): boolean {
  return networkError !== undefined || ((response as Response | undefined)?.status ?? 0) >= 500;
}
