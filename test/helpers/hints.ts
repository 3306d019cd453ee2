import type { ApiClient } from './api.ts';

export interface SeenHint {
  id: string;
  author: string;
  text: string;
  agent: string | null;
  deliveredAt: string | null;
}

export interface HintAnswer {
  __typename: string;
  code?: string;
  message?: string;
  field?: string | null;
  hint?: SeenHint;
}

const FIELDS = 'id author text agent deliveredAt';

/** Adds a hint and returns the API's answer. */
export async function addHint(
  api: ApiClient,
  sessionId: string,
  text: string,
  agent?: string,
): Promise<HintAnswer> {
  const document = `mutation ($input: AddHintInput!) { addHint(input: $input) { __typename
    ... on AddHintSuccess { hint { ${FIELDS} } } ... on ValidationError { field } ... on Error { code message } } }`;
  return (await api.query<{ addHint: HintAnswer }>(document, { input: { sessionId, text, agent } })).addHint;
}

export async function hintsOf(api: ApiClient, id: string): Promise<SeenHint[]> {
  const query = `query ($id: ID!) { session(id: $id) { hints { ${FIELDS} } } }`;
  return (await api.query<{ session: { hints: SeenHint[] } }>(query, { id })).session.hints;
}

/** Asks a session to conclude and returns the API's answer. */
export async function concludeSession(
  api: ApiClient,
  id: string,
): Promise<{ __typename: string; message?: string }> {
  const document = 'mutation ($id: ID!) { concludeSession(id: $id) { __typename ... on Error { message } } }';
  return (await api.query<{ concludeSession: { __typename: string } }>(document, { id })).concludeSession;
}
