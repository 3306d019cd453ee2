import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, id, moment } from './columns.ts';

/** A token with which a program authenticates. The database stores its hash and first characters, not the token. */
export const ApiToken = defineEntity({
  name: 'ApiToken',
  tableName: 'api_tokens',
  properties: {
    id: id(),
    name: p.text(),
    prefix: p.text(), // first characters of the token
    hash: p.text(), // SHA-256 of the token, in hex
    scopes: p.array().columnType('text[]'),
    team: p.text().nullable(),
    createdBy: p.text(),
    createdAt: createdAt(),
    expiresAt: moment().nullable(),
    lastUsedAt: moment().nullable(), // updated at most once a minute
    revokedAt: moment().nullable(),
    owner: p.text().nullable(), // user to whom the token belongs; null for a service token
    ownerNames: p.array().columnType('text[]').nullable(), // the owner's name and address in lower case
    suspendedAt: moment().nullable(), // when the owner's access ended; null if it has not
  },
  uniques: [{ name: 'api_tokens_hash', properties: ['hash'] }],
});
