import type { AlertGroupsQueryVariables } from '../../graphql/gen/documents.ts';

type Filter = NonNullable<AlertGroupsQueryVariables['filter']>;

const STATES = ['FIRING', 'RESOLVED'] as const;
const SEVERITIES = ['CRITICAL', 'ERROR', 'WARNING', 'INFO', 'UNKNOWN'] as const;

/** The filter that the page's address names; what it names wrong is no condition. */
export function filterOfParams(params: URLSearchParams): Filter {
  const state = STATES.find((known) => known === params.get('state'));
  const severity = SEVERITIES.find((known) => known === params.get('severity'));
  return { ...(state && { state }), ...(severity && { severity: [severity] }) };
}
