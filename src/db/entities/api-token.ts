import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, id, moment } from './columns.ts';

/** What a program shows in place of a user who signs in. The token itself is known to its holder alone. */
export const ApiToken = defineEntity({
  name: 'ApiToken',
  tableName: 'api_tokens',
  properties: {
    id: id(),
    name: p.text(),
    prefix: p.text(), // its first characters
    hash: p.text(), // SHA-256 of it, in hex
    scopes: p.array().columnType('text[]'),
    team: p.text().nullable(),
    createdBy: p.text(),
    createdAt: createdAt(),
    expiresAt: moment().nullable(),
    lastUsedAt: moment().nullable(), // at most a minute late
    revokedAt: moment().nullable(),
  },
  uniques: [{ name: 'api_tokens_hash', properties: ['hash'] }],
});
