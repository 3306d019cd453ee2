import { builder } from '../builder.ts';
import type { Page } from '../context.ts';

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
