import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { moment } from './columns.ts';

/** A tool as its server describes it, for people: not what a model is offered. */
export interface McpToolValue {
  name: string;
  description: string | null;
  inputSchema: unknown;
}

/** What the last check of an MCP server found, and which process checks it. */
export const McpServerHealth = defineEntity({
  name: 'McpServerHealth',
  tableName: 'mcp_server_health',
  properties: {
    id: p.text().primary(), // the server's name in the configuration
    checkedBy: p.text(),
    leaseUntil: moment(), // until then no other process checks it
    healthy: p.boolean().default(false),
    lastCheckedAt: moment().nullable(),
    error: p.text().nullable(), // masked
    tools: p.json<McpToolValue[]>().defaultRaw("'[]'"),
  },
});
export type McpServerHealthRow = InferEntity<typeof McpServerHealth>;
