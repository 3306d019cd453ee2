import { z } from 'zod';
import { uuidOf } from '../../../schema/ids.ts';
import { defineTool } from '../tool.ts';
import { nextOf, pageInput, sessionUrl } from './shared.ts';

interface Found {
  sessions: {
    totalCount: number;
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
    nodes: { id: string }[];
  };
}

export const searchInvestigations = defineTool({
  name: 'search_investigations',
  title: 'Search investigations',
  description:
    'Finds investigations by text, verdict, status, alert type or time, the newest first. Use it to learn whether a problem was ' +
    'investigated before and how it ended.',
  input: z.object({
    search: z.string().optional().describe('Words of the alert, the analysis or the report.'),
    verdict: z.array(z.enum(['ACTION_REQUIRED', 'ACTION_SUGGESTED', 'NO_ACTION', 'INCONCLUSIVE'])).optional(),
    status: z.array(z.string()).optional().describe('Such as COMPLETED, IN_PROGRESS or PENDING.'),
    alert_type: z.array(z.string()).optional(),
    created_after: z.iso.datetime({ offset: true }).optional(),
    created_before: z.iso.datetime({ offset: true }).optional(),
    ...pageInput,
  }),
  readOnly: true,
  async call({ first, after, alert_type, created_after, created_before, ...filter }, { run, dashboardUrl }) {
    const { sessions } = await run<Found>(
      `query McpSearch($first: Int, $after: String, $filter: SessionFilter) {
         sessions(first: $first, after: $after, filter: $filter) { totalCount pageInfo { hasNextPage endCursor }
           nodes { id title alertType severity status createdAt completedAt entities
             report { verdict headline confidence evidenceScore } } } }`,
      {
        ...{ first, after },
        filter: {
          ...filter,
          ...{ alertType: alert_type, createdAfter: created_after, createdBefore: created_before },
        },
      },
    );
    const investigations = sessions.nodes.map((node) => {
      const id = uuidOf(node.id);
      return { ...node, id, url: sessionUrl(dashboardUrl, id) };
    });
    return { total: sessions.totalCount, investigations, next: nextOf(sessions.pageInfo) };
  },
});
