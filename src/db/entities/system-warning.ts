import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id } from './columns.ts';

/** A current problem of the system, shown to operators and shared by all processes. */
export const SystemWarning = defineEntity({
  name: 'SystemWarning',
  tableName: 'system_warnings',
  properties: {
    id: id(),
    category: p.text(),
    key: p.text().default(''), // distinguishes warnings of one category
    message: p.text(),
    details: p.text().nullable(),
    serverId: p.text().nullable(), // MCP server that the warning is about
    createdAt: createdAt(),
  },
  uniques: [{ name: 'system_warnings_category_key', properties: ['category', 'key'] }],
});
export type SystemWarningRow = InferEntity<typeof SystemWarning>;
