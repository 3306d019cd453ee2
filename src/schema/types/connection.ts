import type { ObjectRef } from '@pothos/core';
import { builder } from '../builder.ts';
import { queryCost } from '../query-cost.ts';
import type { Page } from '../views.ts';

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
        extensions: queryCost({ own: 5 }), // for each of the page
        description: 'How many there are, on all pages.',
        resolve: (page) => page.totalCount(),
      }),
    }),
  });
}

// Written out, not made by the relay plugin: its PageInfo holds ready values, and hasPreviousPage costs a query.
export const PageInfo = builder.objectRef<Page<unknown>>('PageInfo').implement({
  description: 'Where a page stands in its list.',
  fields: (t) => ({
    hasNextPage: t.boolean({
      description: 'Whether more come after this page.',
      resolve: (page) => page.hasNextPage(),
    }),
    hasPreviousPage: t.boolean({
      description: 'Whether some come before this page.',
      resolve: (page) => page.hasPreviousPage(),
    }),
    startCursor: t.string({
      nullable: true,
      description: 'Of the first of the page, for `before`; null when it is empty.',
      resolve: ({ edges }) => edges.at(0)?.cursor,
    }),
    endCursor: t.string({
      nullable: true,
      description: 'Of the last of the page, for `after`; null when it is empty.',
      resolve: ({ edges }) => edges.at(-1)?.cursor,
    }),
  }),
});
