import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, sqlIndexes } from './columns.ts';

/** A view of a list that a user saved: filters and order under a name. */
export const SavedView = defineEntity({
  name: 'SavedView',
  tableName: 'saved_views',
  properties: {
    id: id(),
    page: p.text(), // list that the view belongs to, such as sessions
    name: p.text(),
    parameters: p.text(), // search parameters of the page's URL
    team: p.text().nullable(), // team that shares the view; null if it is private
    owner: p.text(), // user or token that saved it
    createdAt: createdAt(),
  },
  indexes: sqlIndexes('saved_views', {
    saved_views_private: '("owner", "page", "name") where "team" is null',
    saved_views_team: '("team", "page", "name") where "team" is not null',
  }).map((index) => ({
    ...index,
    expression: index.expression.replace('create index', 'create unique index'),
  })),
});
export type SavedViewRow = InferEntity<typeof SavedView>;
