import type { EntitySchema } from '@mikro-orm/core';
import type { Visibility } from '../../access/visibility.ts';
import {
  AgentExecution,
  Alert,
  AlertGroup,
  AlertSession,
  AnswerReport,
  ApiToken,
  Approval,
  ApprovalDecision,
  AuditEvent,
  Chat,
  ChatUserMessage,
  IntakeDecision,
  LlmInteraction,
  McpInteraction,
  McpServerHealth,
  Memory,
  Message,
  Report,
  ReviewActivity,
  Score,
  Silence,
  Stage,
  TimelineEvent,
} from '../../db/entities/index.ts';
import type { Queryable } from '../../db/queryable.ts';
import { tableOf } from '../../db/table-of.ts';

/** A table with alias `t`, and a select list with the property names of its entity. */
export interface Table {
  name: string;
  columns: string;
}

/** Characters of an alert preview; enough for a usual JSON alert. */
const PREVIEW_LENGTH = 2000;

const LARGE_LLM = ['request', 'response', 'thinking'];
const LARGE_MCP = ['arguments', 'result', 'availableTools'];

/** Returns the select lists of all reads. Rows are not hydrated, because entities would cost ten times as much. */
export function describeTables() {
  const table = (entity: EntitySchema, keep: (property: string) => boolean = () => true): Table => {
    const { name, columns } = tableOf(entity);
    const kept = [...columns].filter(([property]) => keep(property));
    return {
      name: `"${name}"`,
      columns: kept.map(([property, column]) => `t."${column}" as "${property}"`).join(', '),
    };
  };
  const without = (names: string[]) => (property: string) => !names.includes(property);
  const only = (names: string[]) => (property: string) => property === 'id' || names.includes(property);
  const session = table(AlertSession, without(['alertData']));
  return {
    session,
    alertData: table(AlertSession, only(['alertData'])),
    alertPreview: {
      ...session,
      columns: `t."id" as "id", left(t."alert_data", ${PREVIEW_LENGTH}) as "alertPreview"`,
    },
    stage: table(Stage),
    execution: table(AgentExecution),
    timelineEvent: table(TimelineEvent),
    message: table(Message),
    llmInteraction: table(LlmInteraction, without(LARGE_LLM)),
    llmInteractionBody: table(LlmInteraction, only(LARGE_LLM)),
    mcpInteraction: table(McpInteraction, without(LARGE_MCP)),
    mcpInteractionBody: table(McpInteraction, only(LARGE_MCP)),
    mcpServer: table(McpServerHealth, only(['healthy', 'lastCheckedAt', 'error'])),
    mcpServerTools: table(McpServerHealth, only(['tools'])),
    chat: table(Chat),
    chatMessage: table(ChatUserMessage),
    alert: table(Alert),
    alertGroup: table(AlertGroup),
    intakeDecision: table(IntakeDecision),
    report: table(Report, without(['claims'])),
    answerReport: table(AnswerReport),
    reportClaims: table(Report, (property) => ['sessionId', 'claims'].includes(property)),
    reviewActivity: table(ReviewActivity),
    score: table(Score),
    silence: table(Silence),
    memory: table(Memory, without(['document'])),
    auditEvent: table(AuditEvent),
    approval: table(Approval),
    approvalDecision: table(ApprovalDecision),
    apiToken: table(ApiToken, without(['hash'])),
  };
}

export interface ReadDb {
  pool: Queryable;
  /** Separate connections for searches, which take long. */
  search: Queryable;
  tables: ReturnType<typeof describeTables>;
  sight: Visibility;
}
