import type { EntitySchema } from '@mikro-orm/core';
import type { Visibility } from '../../access/visibility.ts';
import * as entities from '../../db/entities/index.ts';
import type { Queryable } from '../../db/queryable.ts';
import { tableOf } from '../../db/table-of.ts';

/** A table's name, and its select list with alias `t` and the entity's property names. */
export interface Table {
  name: string;
  columns: string;
}

/** Length of an alert preview (characters); enough for a usual JSON alert. */
const PREVIEW_LENGTH = 2000;

const LARGE_LLM = ['request', 'response', 'thinking'];
const LARGE_MCP = ['arguments', 'result', 'availableTools'];

/** Returns the select lists of all tables. Rows do not become entities, because that would cost ten times as much. */
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
  const session = table(entities.AlertSession, without(['alertData']));
  return {
    session,
    alertData: table(entities.AlertSession, only(['alertData'])),
    alertPreview: {
      ...session,
      columns: `t."id" as "id", left(t."alert_data", ${PREVIEW_LENGTH}) as "alertPreview"`,
    },
    stage: table(entities.Stage),
    execution: table(entities.AgentExecution),
    timelineEvent: table(entities.TimelineEvent),
    message: table(entities.Message),
    llmInteraction: table(entities.LlmInteraction, without(LARGE_LLM)),
    llmInteractionBody: table(entities.LlmInteraction, only(LARGE_LLM)),
    mcpInteraction: table(entities.McpInteraction, without(LARGE_MCP)),
    mcpInteractionBody: table(entities.McpInteraction, only(LARGE_MCP)),
    mcpServer: table(entities.McpServerHealth, only(['healthy', 'lastCheckedAt', 'error'])),
    mcpServerTools: table(entities.McpServerHealth, only(['tools'])),
    chat: table(entities.Chat),
    chatMessage: table(entities.ChatUserMessage),
    alert: table(entities.Alert),
    alertGroup: table(entities.AlertGroup),
    hypothesis: table(entities.Hypothesis),
    intakeDecision: table(entities.IntakeDecision),
    notificationDelivery: table(entities.NotificationDelivery, without(['notice'])),
    report: table(entities.Report, without(['claims'])),
    answerReport: table(entities.AnswerReport),
    reportClaims: table(entities.Report, (property) => ['sessionId', 'claims'].includes(property)),
    reviewActivity: table(entities.ReviewActivity),
    score: table(entities.Score),
    silence: table(entities.Silence),
    memory: table(entities.Memory, without(['document'])),
    case: table(entities.Case, without(['document'])),
    caseDocument: table(entities.Case, only(['document'])),
    replay: table(entities.Replay),
    auditEvent: table(entities.AuditEvent),
    approval: table(entities.Approval),
    approvalDecision: table(entities.ApprovalDecision),
    apiToken: table(entities.ApiToken, without(['hash', 'ownerNames'])),
  };
}

export interface ReadDb {
  pool: Queryable;
  /** Separate connections for searches, which take long. */
  search: Queryable;
  /** Connections to the primary, for indexing before a search. */
  index: Queryable;
  tables: ReturnType<typeof describeTables>;
  sight: Visibility;
}
