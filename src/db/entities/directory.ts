import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, moment, sqlIndexes } from './columns.ts';

/** A user whom an identity provider or an administrator named by SCIM. Other users have access as well. */
export const DirectoryUser = defineEntity({
  name: 'DirectoryUser',
  tableName: 'directory_users',
  properties: {
    id: id(),
    userName: p.text(),
    externalId: p.text().nullable(), // the provider's id of the user
    emails: p.array().columnType('text[]'),
    names: p.array().columnType('text[]'), // user name and addresses in lower case
    endedAt: moment().nullable(), // null while the user has access
    signedOutAt: moment().nullable(), // earlier sign-ins are no longer valid
    deletedAt: moment().nullable(), // kept, so that the user's access stays ended
    createdAt: createdAt(),
    changedAt: createdAt(),
  },
  indexes: [
    ...uniqueIndexes('directory_users', { directory_users_user_name: '(lower("user_name"))' }),
    ...sqlIndexes('directory_users', { directory_users_names: 'using gin ("names")' }),
  ],
});
export type DirectoryUserRow = InferEntity<typeof DirectoryUser>;

/** A group whom an identity provider named by SCIM, with its members. */
export const DirectoryGroup = defineEntity({
  name: 'DirectoryGroup',
  tableName: 'directory_groups',
  properties: {
    id: id(),
    displayName: p.text(),
    externalId: p.text().nullable(),
    members: p.array().columnType('uuid[]'), // ids of directory users
    createdAt: createdAt(),
    changedAt: createdAt(),
  },
  indexes: uniqueIndexes('directory_groups', { directory_groups_display_name: '(lower("display_name"))' }),
});
export type DirectoryGroupRow = InferEntity<typeof DirectoryGroup>;

function uniqueIndexes(table: string, definitions: Readonly<Record<string, string>>) {
  return sqlIndexes(table, definitions).map((index) => ({
    ...index,
    expression: index.expression.replace('create index', 'create unique index'),
  }));
}
