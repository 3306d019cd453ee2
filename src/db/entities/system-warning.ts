import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id } from './columns.ts';

/** Something the operators should know of, for as long as it holds; every process sees the same. */
export const SystemWarning = defineEntity({
  name: 'SystemWarning',
  tableName: 'system_warnings',
  properties: {
    id: id(),
    category: p.text(),
    key: p.text().default(''), // tells the warnings of one category apart: one row each
    message: p.text(),
    details: p.text().nullable(),
    serverId: p.text().nullable(), // the MCP server that it is about
    createdAt: createdAt(),
  },
  uniques: [{ name: 'system_warnings_category_key', properties: ['category', 'key'] }],
});
export type SystemWarningRow = InferEntity<typeof SystemWarning>;
