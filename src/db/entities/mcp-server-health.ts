import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { moment } from './columns.ts';

/** A tool as its server describes it, for people, and what policy makes of it. */
export interface McpToolValue {
  name: string;
  description: string | null;
  inputSchema: unknown;
  /** As the server declares it; null when it does not say. */
  readOnly: boolean | null;
  destructive: boolean | null;
  idempotent: boolean | null;
  openWorld: boolean | null;
  /** Whether policy lets agents have it. */
  offered: boolean;
  /** By which rule, in words. */
  policy: string;
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
