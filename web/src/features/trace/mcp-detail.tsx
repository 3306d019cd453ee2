import type { McpHeadFragment } from '../../graphql/gen/documents.ts';
import { McpDetailDocument } from '../../graphql/gen/lazy-documents.ts';
import { useQuery } from '../../graphql/use-query.ts';
import { formatAbsolute } from '../../lib/format.ts';
import { prettyJson } from '../../lib/pretty-json.ts';
import { useTimeZone } from '../../lib/time-zone.ts';
import { DetailPanel, Part } from './detail-panel.tsx';

/** Shows the arguments and the result of an MCP call. */
export function McpDetail({ head }: { head: McpHeadFragment }) {
  const zone = useTimeZone();
  const [{ data, error, fetching }, read] = useQuery({
    query: McpDetailDocument,
    variables: { id: head.id },
  });
  const detail = data?.mcpInteraction;
  return (
    <DetailPanel
      errorMessage={head.errorMessage}
      loading={detail == null && fetching}
      error={detail == null ? error : undefined}
      retry={() => read({ requestPolicy: 'network-only' })}
      toJson={() => JSON.stringify({ ...head, ...detail }, null, 2)}
      facts={`Ended ${formatAbsolute(head.createdAt, zone)}`}
    >
      <Part title="Arguments" value={detail?.arguments} />
      <Part title="Result" value={head.toolName === null ? undefined : readable(detail?.result)} />
      <Part title="Tools offered to the model" value={detail?.availableTools} />
      <Part title="Tools withheld from the model" value={leftOut(detail?.result)} />
    </DetailPanel>
  );
}

/** Returns the tools that a tool listing withheld from the model, with reasons. */
function leftOut(result: unknown): unknown {
  return (result as { leftOut?: unknown } | null | undefined)?.leftOut;
}

/** Returns the text of a result that contains text, because JSON would show it as one long escaped line. */
function readable(result: unknown): unknown {
  const content = (result as { content?: unknown } | null)?.content;
  return typeof content === 'string' && content !== '' ? prettyJson(content).text : result;
}
