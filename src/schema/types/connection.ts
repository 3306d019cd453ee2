import type { ObjectRef } from '@pothos/core';
import { builder, objectType } from '../builder.ts';
import { queryCost } from '../query-cost.ts';
import type { Page } from '../views.ts';

type ArgBuilder = Parameters<Parameters<typeof builder.queryField>[1]>[0]['arg'];

export const firstPageArgs = (arg: ArgBuilder) => ({
  first: arg.int({ description: 'Number of items from the start, or after `after`: 1–100.' }),
  after: arg.string({ description: 'Cursor after which the page begins. Null or empty for the first page.' }),
});

export const pageArgs = (arg: ArgBuilder) => ({
  ...firstPageArgs(arg),
  last: arg.int({ description: 'Number of items from the end, or before `before`: 1–100.' }),
  before: arg.string({ description: 'Cursor before which the page ends. Null or empty for the last page.' }),
});

/** Defines the connection and edge types of a paged list. `what`: plural noun for its items, such as `sessions`. */
export function connectionOf<Row>(name: string, ref: ObjectRef<never, Row, Row>, what: string) {
  const Edge = builder.objectRef<Awaited<ReturnType<Page<Row>['edges']>>[number]>(`${name}Edge`).implement({
    description: `One of the ${what} in its place in a list.`,
    fields: (t) => ({
      cursor: t.exposeString('cursor', {
        description: 'Position for `after` and `before`. Stays valid when items are added.',
      }),
      node: t.field({ type: ref as never, description: 'The item.', resolve: ({ node }) => node as never }),
    }),
  });
  return builder.objectRef<Page<Row>>(`${name}Connection`).implement({
    description: `One page of a list of ${what}.`,
    fields: (t) => ({
      edges: t.field({
        type: [Edge],
        description: 'Items of the page with their cursors.',
        resolve: (page) => page.edges(),
      }),
      nodes: t.field({
        type: [ref as never],
        description: 'Items of the page.',
        resolve: async (page) => (await page.edges()).map(({ node }) => node) as never,
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'Position of the page in the list.',
        resolve: (page) => page,
      }),
      totalCount: t.int({
        extensions: queryCost({ own: 5 }), // multiplied by the page size, as all costs within a connection
        description: 'Number of items on all pages.',
        resolve: (page) => page.totalCount(),
      }),
    }),
  });
}

// Replaces PageInfo of the relay plugin, which needs all values at once, although hasPreviousPage may cost a query.
const PageInfo = objectType<Page<unknown>>('PageInfo', 'Position of a page in its list.', (t) => ({
  hasNextPage: t.boolean({
    description: 'True if more items follow.',
    resolve: (page) => page.hasNextPage(),
  }),
  hasPreviousPage: t.boolean({
    description: 'True if items precede this page.',
    resolve: (page) => page.hasPreviousPage(),
  }),
  startCursor: t.string({
    nullable: true,
    description: 'Cursor of the first item, for `before`; null if the page is empty.',
    resolve: async (page) => (await page.edges()).at(0)?.cursor,
  }),
  endCursor: t.string({
    nullable: true,
    description: 'Cursor of the last item, for `after`; null if the page is empty.',
    resolve: async (page) => (await page.edges()).at(-1)?.cursor,
  }),
}));
