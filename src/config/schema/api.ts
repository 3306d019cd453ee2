import { z } from 'zod';
import { settings } from './settings.ts';

/** What the API offers besides the schema's fields. */
export const apiSchema = settings(
  z
    .strictObject({
      introspection: z
        .boolean()
        .describe('Whether clients may ask for the schema; default: in development (NODE_ENV)')
        .optional(),
      graphiql: z
        .boolean()
        .describe('Whether /graphql is an editor in the browser; default: in development (NODE_ENV)')
        .optional(),
    })
    .describe('The GraphQL API'),
);
