import type { ObjectRef } from '@pothos/core';
import { builder } from '../builder.ts';
import type { Page } from '../context.ts';
import { costs } from '../cost.ts';
import { PageInfo } from './page-info.ts';

/** The types of a paged list: its connection and its edges. `what` names its items in descriptions, in the plural. */
export function connectionOf<Row>(name: string, ref: ObjectRef<never, Row, Row>, what: string) {
  const Edge = builder.objectRef<Page<Row>['edges'][number]>(`${name}Edge`).implement({
    description: `One of the ${what} in its place in a list.`,
    fields: (t) => ({
      cursor: t.string({
        description: 'Its place, for `after` and `before`: stays right when others come in.',
        resolve: ({ cursor }) => cursor,
      }),
      node: t.field({
        type: ref as never,
        description: 'The object itself.',
        resolve: ({ node }) => node as never,
      }),
    }),
  });
  return builder.objectRef<Page<Row>>(`${name}Connection`).implement({
    description: `One page of a list of ${what}.`,
    fields: (t) => ({
      edges: t.field({
        type: [Edge],
        description: 'Those of the page, each with its cursor.',
        resolve: ({ edges }) => edges,
      }),
      nodes: t.field({
        type: [ref as never],
        description: 'Those of the page.',
        resolve: ({ edges }) => edges.map(({ node }) => node) as never,
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'What comes before and after it.',
        resolve: (page) => page,
      }),
      totalCount: t.int({
        extensions: costs(5), // for each of the page
        description: 'How many there are, on all pages.',
        resolve: (page) => page.totalCount(),
      }),
    }),
  });
}
