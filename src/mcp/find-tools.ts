import { canonicalName, listNames } from './tool-names.ts';
import type { KnownTool, ToolDefinition } from './types.ts';

export const FIND_TOOLS = 'tarsy.find_tools';

/** Maximum lengths of one tool's description and schema in a search result (UTF-16 code units). */
const MAX_DESCRIPTION_UNITS = 400;
const MAX_SCHEMA_UNITS = 2000;
const MAX_NAMES = 50;

const QUERY_DESCRIPTION = 'Purpose or subject of the tool, in a few words';
const toolDescription = (count: number, servers: readonly string[]) =>
  `Finds more tools: ${count} are not in your list, of these servers: ${servers.join(', ')}. Describes the best matches, which you can call from then on.`;

export function findToolsDefinition(others: readonly KnownTool[]): ToolDefinition {
  const servers = [...Map.groupBy(others, ({ server }) => server)].map(
    ([server, tools]) => `${server} (${tools.length})`,
  );
  return {
    name: FIND_TOOLS,
    description: toolDescription(others.length, servers),
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string', description: QUERY_DESCRIPTION } },
      required: ['query'],
    },
    toolClass: 'reads',
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    repeatable: true,
    ask: null,
  };
}

/** Returns the text of a search result for the model. @param mask removes secrets from a server's text */
export function foundText(
  found: readonly KnownTool[],
  others: readonly { server: string; tool: string }[],
  mask: (server: string, text: string) => string,
): string {
  if (found.length > 0) {
    const descriptions = found.map((tool) => describe(tool, mask));
    return `You can call these from now on:\n\n${descriptions.join('\n\n')}`;
  }
  if (others.length === 0) return 'All existing tools are in your list.';
  const names = listNames(others.map(canonicalName), MAX_NAMES);
  return `No tool has one of these words in its name or description. Tools that are not in your list: ${names}.`;
}

function describe({ server, definition }: KnownTool, mask: (server: string, text: string) => string): string {
  const description = definition.description.slice(0, MAX_DESCRIPTION_UNITS).replace(/\s+/g, ' ').trim();
  const schema = JSON.stringify(definition.inputSchema);
  const parameters = schema.length <= MAX_SCHEMA_UNITS ? `\n  Arguments, as JSON Schema: ${schema}` : '';
  return `- ${definition.name}: ${mask(server, `${description}${parameters}`.toWellFormed())}`;
}
