import { z } from 'zod';
import { MAX_WAIT_S } from '../wait.ts';

/** Input of tools that return pages. */
export const pageInput = {
  first: z.int().min(1).max(50).default(10).describe('Number of entries.'),
  after: z.string().optional().describe('`next` of the page before.'),
};

export const investigationId = z.string().describe('Id of the investigation, as other tools return it.');

export const waitInput = z
  .int()
  .min(0)
  .max(MAX_WAIT_S)
  .default(0)
  .describe('Time (s) to wait for the end. Progress is reported meanwhile.');

export const sessionUrl = (dashboardUrl: string, id: string): string => `${dashboardUrl}/sessions/${id}`;

/** Returns the value to continue a list with; `null` at its end. */
export const nextOf = (page: { hasNextPage: boolean; endCursor: string | null }): string | null =>
  page.hasNextPage ? page.endCursor : null;
