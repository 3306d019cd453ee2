import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { moment } from './columns.ts';

/** A tool as its server describes it, and the policy's decision about it. */
export interface McpToolValue {
  name: string;
  description: string | null;
  inputSchema: unknown;
  /** Annotation by the server, like the next three fields; `null` if the server declares nothing. */
  readOnly: boolean | null;
  destructive: boolean | null;
  idempotent: boolean | null;
  openWorld: boolean | null;
  /** True if the policy offers the tool to agents. */
  offered: boolean;
  policy: string;
}

/** The result of the last health check of an MCP server, and the process that checks it. */
export const McpServerHealth = defineEntity({
  name: 'McpServerHealth',
  tableName: 'mcp_server_health',
  properties: {
    id: p.text().primary(), // the server's name in the configuration
    checkedBy: p.text(),
    leaseUntil: moment(), // until then no other process checks the server
    healthy: p.boolean().default(false),
    lastCheckedAt: moment().nullable(),
    error: p.text().nullable(), // masked
    tools: p.json<McpToolValue[]>().defaultRaw("'[]'"),
  },
});
export type McpServerHealthRow = InferEntity<typeof McpServerHealth>;
