import type { Right } from '../access/rights.ts';

/** Required rights: a viewer needs at least one of them. ANY: each right suffices. */
export type AccessRule = readonly Right[] | 'ANY';

const READ: AccessRule = ['READ'];
const SUBMIT: AccessRule = ['SUBMIT_ALERTS'];
const ADMIN: AccessRule = ['ADMIN'];
const REVIEW: AccessRule = ['REVIEW'];

/** Access rules of the root fields. The schema does not build if a field is missing here. */
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
    cases: READ,
    compareSessions: READ,
    configuration: ADMIN,
    defaultTools: READ,
    intakeDecisions: READ,
    llmInteraction: READ,
    mcpInteraction: READ,
    mcpServers: READ,
    memories: READ,
    notificationChannels: ADMIN,
    notificationDeliveries: ADMIN,
    pendingApprovals: READ,
    replay: READ,
    runbooks: READ,
    savedViews: READ,
    schedules: READ,
    selectableTools: READ,
    session: READ,
    sessionCounts: READ,
    sessionFilterOptions: READ,
    sessions: READ,
    silencePreview: READ,
    silences: READ,
    skills: READ,
    systemState: READ,
    systemWarnings: READ,
    trackRecord: READ,
    trackRecords: READ,
    usage: READ,
    viewer: 'ANY',
  },
  Mutation: {
    addHint: ['CHAT'],
    cancelSession: ['REVIEW', 'CHAT'], // with CHAT alone, only answers can be cancelled
    cancelSessions: REVIEW,
    concludeSession: REVIEW,
    createApiToken: ADMIN,
    createCase: REVIEW,
    createSilence: REVIEW,
    decideApproval: ['APPROVE'], // access.approvers also restricts servers and tools
    deleteCase: REVIEW,
    deleteMemory: ADMIN,
    deleteView: READ, // a team's view needs REVIEW
    endSilence: REVIEW,
    importCase: REVIEW,
    investigateAlertGroup: REVIEW,
    redeliverNotification: ADMIN,
    replayCase: REVIEW,
    reviewSessions: REVIEW,
    revokeApiToken: ADMIN,
    runSchedule: SUBMIT,
    runSessionNow: REVIEW,
    saveView: READ, // a team's view needs REVIEW
    scoreSession: REVIEW,
    sendChatMessage: ['CHAT'],
    submitAlert: SUBMIT,
    testNotificationChannel: ADMIN,
    updateMemory: ADMIN,
  },
  Subscription: {
    alertGroupsChanged: READ,
    approvalsChanged: READ,
    sessionEvents: READ,
    sessionsChanged: READ,
    systemStateChanged: READ,
  },
};

/** Access rules of all types with global ids. A rule applies to every field except `id` and the fields in `OPEN`. */
export const NODE_RULES = {
  AgentExecution: READ,
  Alert: READ,
  AlertGroup: READ,
  ApiToken: ADMIN,
  Approval: READ,
  AuditEvent: ADMIN,
  Case: READ,
  Chat: READ,
  ChatMessage: READ,
  Hint: READ,
  IntakeDecision: READ,
  LlmInteraction: READ,
  McpInteraction: READ,
  Memory: READ,
  Message: READ,
  NotificationDelivery: ADMIN,
  Replay: READ,
  SavedView: READ,
  Score: READ,
  Session: READ,
  Silence: READ,
  Stage: READ,
  TimelineEvent: READ,
} satisfies Record<string, AccessRule>;

export type NodeType = keyof typeof NODE_RULES;

export function isNodeType(name: string): name is NodeType {
  return Object.hasOwn(NODE_RULES, name); // names may come from the client
}

/** Fields that need no right, so that a program that may only submit alerts can see what becomes of them. */
export const OPEN: Readonly<Record<string, readonly string[]>> = {
  IntakeDecision: ['outcome', 'reason'],
  Session: ['status', 'queuePosition'],
};
