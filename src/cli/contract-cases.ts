/** The GraphQL documents of the commands about cases, and the types of their results. */

export const CASES = /* GraphQL */ `
  query Cases($search: String, $after: String) {
    cases(first: 100, search: $search, after: $after) {
      nodes { id name world alertType recordedCalls createdAt }
      pageInfo { hasNextPage endCursor }
    }
  }
`;

export const CASE_DOCUMENT = /* GraphQL */ `
  query CaseDocument($id: ID!) { node(id: $id) { ... on Case { name document } } }
`;

export const CREATE_CASE = /* GraphQL */ `
  mutation CreateCase($input: CreateCaseInput!) {
    createCase(input: $input) {
      ... on CreateCaseSuccess { case { id name recordedCalls } }
      ... on Error { message code }
    }
  }
`;

export const IMPORT_CASE = /* GraphQL */ `
  mutation ImportCase($input: ImportCaseInput!) {
    importCase(input: $input) {
      ... on ImportCaseSuccess { case { id name recordedCalls } }
      ... on Error { message code }
    }
  }
`;

export const DELETE_CASE = /* GraphQL */ `
  mutation DeleteCase($id: ID!) {
    deleteCase(id: $id) {
      ... on DeleteCaseSuccess { deletedId }
      ... on Error { message code }
    }
  }
`;

export const REPLAY_CASE = /* GraphQL */ `
  mutation ReplayCase($input: ReplayCaseInput!) {
    replayCase(input: $input) {
      __typename
      ... on ReplayCaseSuccess { replays { id session { id } } }
      ... on Error { message code }
      ... on TooManyAlertsError { retryAfterSeconds }
    }
  }
`;

export const REPLAY = /* GraphQL */ `
  query Replay($id: ID!) {
    replay(id: $id) {
      id status provider model configHash passed confidentlyWrong unrecordedCalls costUsd
      checks { name passed detail }
      session { id durationMs tokenUsage { totalTokens } report { verdict confidence evidenceScore } }
    }
  }
`;

export interface CaseSummary {
  id: string;
  name: string;
  recordedCalls: number;
}

export interface ListedCase extends CaseSummary {
  world: string;
  alertType: string;
  createdAt: string;
}

/** The result of a mutation: its success, or the reason of a refusal. */
export interface CaseResult {
  case?: CaseSummary;
  deletedId?: string;
  replays?: { id: string; session: { id: string } | null }[];
  message?: string;
  code?: string;
  retryAfterSeconds?: number;
}

export interface ReplayState {
  id: string;
  status: 'PENDING' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELLED';
  provider: string;
  model: string;
  configHash: string;
  passed: boolean | null;
  confidentlyWrong: boolean;
  unrecordedCalls: number;
  costUsd: number | null;
  checks: { name: string; passed: boolean; detail: string }[];
  session: {
    id: string;
    durationMs: number | null;
    tokenUsage: { totalTokens: number };
    report: { verdict: string; confidence: number; evidenceScore: number | null } | null;
  } | null;
}
