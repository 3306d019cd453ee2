import type { Right } from '../access/rights.ts';

/** Any one of these rights; ANY = whichever, but one. */
export type AccessRule = readonly Right[] | 'ANY';

const READ: AccessRule = ['READ'];
const SUBMIT: AccessRule = ['SUBMIT_ALERTS'];
const ADMIN: AccessRule = ['ADMIN'];
const REVIEW: AccessRule = ['REVIEW'];

/** Who may ask for which root field. A field that is not here does not build. */
export const ROOT_RULES: Readonly<Record<string, Readonly<Record<string, AccessRule>>>> = {
  Query: {
    node: READ,
    nodes: READ,
    activeSessions: READ,
    alertGroup: READ,
    alertGroups: READ,
    alertSources: READ,
    alertTypes: READ,
    apiTokens: ADMIN,
    auditActions: ADMIN,
    auditEvents: ADMIN,
    budgets: READ,
    configuration: ADMIN,
    defaultTools: READ,
    intakeDecisions: READ,
    llmInteraction: READ,
    mcpInteraction: READ,
    mcpServers: READ,
    memories: READ,
    pendingApprovals: READ,
    runbooks: READ,
    selectableTools: READ,
    session: READ,
    sessionCounts: READ,
    sessionFilterOptions: READ,
    sessions: READ,
    silences: READ,
    skills: READ,
    systemWarnings: READ,
    trackRecord: READ,
    trackRecords: READ,
    usage: READ,
    viewer: 'ANY',
  },
  Mutation: {
    cancelSession: ['REVIEW', 'CHAT'], // with CHAT alone only an answer
    createApiToken: ADMIN,
    createSilence: REVIEW,
    decideApproval: ['APPROVE'], // of each server and tool: access.approvers
    deleteMemory: ADMIN,
    endSilence: REVIEW,
    investigateAlertGroup: REVIEW,
    reviewSessions: REVIEW,
    revokeApiToken: ADMIN,
    scoreSession: REVIEW,
    sendChatMessage: ['CHAT'],
    submitAlert: SUBMIT,
    updateMemory: ADMIN,
  },
  Subscription: {
    alertGroupsChanged: READ,
    approvalsChanged: READ,
    sessionEvents: READ,
    sessionsChanged: READ,
  },
};

/**
 * Who may look into objects of a type with global ids, wherever they come up: the rule of each of its fields but `id`
 * and those of OPEN. A type that is not here does not build.
 */
export const NODE_RULES: Readonly<Record<string, AccessRule>> = {
  AgentExecution: READ,
  Alert: READ,
  AlertGroup: READ,
  ApiToken: ADMIN,
  Approval: READ,
  AuditEvent: ADMIN,
  Chat: READ,
  ChatMessage: READ,
  IntakeDecision: READ,
  LlmInteraction: READ,
  McpInteraction: READ,
  Memory: READ,
  Message: READ,
  Score: READ,
  Session: READ,
  Silence: READ,
  Stage: READ,
  TimelineEvent: READ,
};

/** What whoever was given such an object may know of it in any case: a program learns what came of its request. */
export const OPEN: Readonly<Record<string, readonly string[]>> = {
  IntakeDecision: ['outcome', 'reason'],
  Session: ['status', 'queuePosition'],
};
