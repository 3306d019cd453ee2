import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { uuidOf } from '../../schema/ids.ts';
import type { Run } from './run-operation.ts';
import { reportUri } from './session-news.ts';

const LISTED = 20;

interface Listed {
  sessions: { nodes: { id: string; title: string; createdAt: string }[] };
}

/** Registers the reports of investigations as Markdown resources. The list has the newest that ended. */
export function registerReports(server: McpServer, run: Run): void {
  const list = async () => {
    const { sessions } = await run<Listed>(
      `query McpReports { sessions(first: ${LISTED}, filter: { status: [COMPLETED, FAILED, TIMED_OUT, CANCELLED] }) {
         nodes { id title createdAt } } }`,
    );
    return {
      resources: sessions.nodes.map(({ id, title, createdAt }) => ({
        uri: reportUri(uuidOf(id)),
        name: title,
        description: `Investigation of ${createdAt}`,
        mimeType: 'text/markdown',
      })),
    };
  };
  server.registerResource(
    'investigation',
    new ResourceTemplate(reportUri('{id}'), { list }),
    { title: 'Report of an investigation', mimeType: 'text/markdown' },
    async (uri, { id }) => {
      const { session } = await run<{ session: { export: string } | null }>(
        'query McpReport($id: ID!) { session(id: $id) { export(format: MARKDOWN) } }',
        { id: String(id) },
      );
      if (session === null) throw new Error('There is no investigation with this id.');
      return { contents: [{ uri: uri.href, mimeType: 'text/markdown', text: session.export }] };
    },
  );
}
