import type { KnownTool } from './catalogue.ts';
import type { ToolDefinition } from './types.ts';

/** A tool of our own, as it is called. */
export const FIND_TOOLS = 'tarsy.find_tools';

/** UTF-16 code units of what a search tells of one tool. */
const MAX_DESCRIPTION_UNITS = 400;
const MAX_SCHEMA_UNITS = 2000;
/** Names told when nothing fits. */
const MAX_NAMES = 50;

/** @param others the tools that it finds */
export function findToolsDefinition(others: readonly KnownTool[]): ToolDefinition {
  const servers = [...Map.groupBy(others, ({ server }) => server)].map(
    ([server, tools]) => `${server} (${tools.length})`,
  );
  return {
    name: FIND_TOOLS,
    description: `Finds more tools: ${others.length} do not stand in your list, of these servers: ${servers.join(', ')}. Those that fit best are described, and can be called from then on.`,
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What the tool should do, or be about, in a few words' },
      },
      required: ['query'],
    },
    toolClass: 'reads',
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    repeatable: true,
    ask: null,
  };
}

/** What a search came to, for the model. @param mask takes secrets out of a server's text */
export function foundText(
  found: readonly KnownTool[],
  others: readonly { server: string; tool: string }[],
  mask: (server: string, text: string) => string,
): string {
  if (found.length > 0) {
    const told = found.map((tool) => describe(tool, mask));
    return `These can be called from now on:\n\n${told.join('\n\n')}`;
  }
  const names = others.slice(0, MAX_NAMES).map(({ server, tool }) => `${server}.${tool}`);
  const more = others.length > MAX_NAMES ? ` and ${others.length - MAX_NAMES} more` : '';
  return names.length === 0
    ? 'All tools that there are stand in your list.'
    : `No tool has one of these words in its name or description. The names of those that are not in your list: ${names.join(', ')}${more}.`;
}

function describe({ server, definition }: KnownTool, mask: (server: string, text: string) => string): string {
  const description = definition.description.slice(0, MAX_DESCRIPTION_UNITS).replace(/\s+/g, ' ').trim();
  const schema = JSON.stringify(definition.inputSchema);
  const parameters = schema.length <= MAX_SCHEMA_UNITS ? `\n  Arguments, as JSON Schema: ${schema}` : '';
  return `- ${definition.name}: ${mask(server, `${description}${parameters}`.toWellFormed())}`;
}
