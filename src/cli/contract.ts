import type { FactParts } from '../common/fact-text.ts';

/** The GraphQL documents of the command line and the types of their results. */

export const SUBMIT_ALERT = /* GraphQL */ `
  mutation SubmitAlert($input: SubmitAlertInput!) {
    submitAlert(input: $input) {
      __typename
      ... on SubmitAlertSuccess { notes session { id status queuePosition } }
      ... on Error { message code }
      ... on ValidationError { field }
      ... on AlertTooLargeError { maxBytes actualBytes }
    }
  }
`;

export const ALERT_TYPES = /* GraphQL */ `
  query AlertTypes { alertTypes { name } }
`;

export const SESSION_OUTCOME = /* GraphQL */ `
  query SessionOutcome($id: ID!) {
    session(id: $id) {
      status errorMessage finalAnalysis executiveSummary executiveSummaryError durationMs
      tokenUsage { inputTokens outputTokens thinkingTokens totalTokens }
      report { verdict headline confidence evidenceScore claims {
        kind text status problem onlyUntrusted citations { source quote status }
        facts { subject attribute value unit negated window filter status problem } } }
    }
  }
`;

export const SESSION_EVENTS = /* GraphQL */ `
  subscription SessionEvents($sessionId: ID!, $after: String) {
    sessionEvents(sessionId: $sessionId, after: $after) {
      __typename
      sessionId
      cursor
      at
      ... on SessionStatusChanged { session { id status queuePosition errorMessage } }
      ... on StageStatusChanged { stage { id name index type status expectedAgentCount errorMessage } }
      ... on ExecutionStatusChanged { execution { id agentName status llmProvider modelName errorMessage } }
      ... on TimelineEventCreated { timelineEvent { ...Entry } }
      ... on TimelineEventCompleted { timelineEvent { ...Entry } }
      ... on StreamChunk { timelineEventId offset delta }
    }
  }
  fragment Entry on TimelineEvent {
    id sequenceNumber type status content metadata execution { id }
  }
`;

export type SubmitResult =
  | { __typename: 'SubmitAlertSuccess'; notes: string[]; session: Omit<SessionState, 'errorMessage'> }
  | SubmitRefusal;

export interface SubmitRefusal {
  __typename: string;
  message: string;
  code: string;
  field?: string | null;
  maxBytes?: number;
  actualBytes?: number;
}

export interface SessionOutcome {
  status: string;
  errorMessage: string | null;
  finalAnalysis: string | null;
  executiveSummary: string | null;
  executiveSummaryError: string | null;
  durationMs: number | null;
  /** `null` if the session has no report, or if the server is no longer reachable. */
  report: ReportOutcome | null;
  /** `null` if the server is no longer reachable. */
  tokenUsage: Record<'inputTokens' | 'outputTokens' | 'thinkingTokens' | 'totalTokens', number> | null;
}

export interface ReportOutcome {
  verdict: string;
  headline: string;
  confidence: number;
  claims: {
    kind: string;
    text: string;
    status: string;
    problem: string | null;
    onlyUntrusted: boolean;
    citations: { source: string }[];
    facts: (FactParts & { status: string; problem: string | null })[];
  }[];
}

export interface TimelineEntry {
  id: string;
  sequenceNumber: number;
  type: string;
  status: string;
  content: string;
  metadata: Record<string, unknown> | null;
  execution: { id: string } | null;
}

export interface StageState {
  name: string;
  index: number;
  status: string;
  errorMessage: string | null;
}

export interface ExecutionState {
  id: string;
  agentName: string;
  status: string;
  llmProvider: string | null;
  modelName: string | null;
  errorMessage: string | null;
}

export interface SessionState {
  id: string;
  status: string;
  queuePosition: number | null;
  errorMessage: string | null;
}

/** An event of a session. The list of types is incomplete: some types that the command does not show are missing. */
export type SessionEvent = { sessionId: string; cursor: string | null; at: string } & (
  | { __typename: 'SessionStatusChanged'; session: SessionState }
  | { __typename: 'StageStatusChanged'; stage: StageState }
  | { __typename: 'ExecutionStatusChanged'; execution: ExecutionState }
  | { __typename: 'TimelineEventCreated' | 'TimelineEventCompleted'; timelineEvent: TimelineEntry }
  | { __typename: 'StreamChunk'; timelineEventId: string; offset: number; delta: string }
  | { __typename: 'CaughtUp' | 'ChatCreated' | 'ChatMessageAdded' }
);
