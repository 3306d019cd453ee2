import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { McpInteractionType } from '../enums.ts';
import { createdAt, id, oneOf } from './columns.ts';

/** One request to an MCP server, for the trace: a tool call or a tool listing. */
export const McpInteraction = defineEntity({
  name: 'McpInteraction',
  tableName: 'mcp_interactions',
  properties: {
    id: id(),
    sessionId: p.uuid().primary(), // in each key, because the table is partitioned by it
    stageId: p.uuid(),
    executionId: p.uuid(),
    type: oneOf<McpInteractionType>(),
    serverName: p.text(),
    toolName: p.text().nullable(),
    toolCallId: p.text().nullable(), // id of the tool call in the model's message
    arguments: p.json<unknown>().nullable(),
    result: p.json<unknown>().nullable(),
    availableTools: p.json<unknown>().nullable(),
    durationMs: p.integer(),
    errorMessage: p.text().nullable(),
    createdAt: createdAt(),
  },
  indexes: [
    { name: 'mcp_interactions_session', properties: ['sessionId', 'createdAt', 'id'] },
    { name: 'mcp_interactions_execution', properties: ['executionId', 'createdAt', 'id'] },
    { name: 'mcp_interactions_stage', properties: ['stageId'] },
  ],
});
export type McpInteractionRow = InferEntity<typeof McpInteraction>;
