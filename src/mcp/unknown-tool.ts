import { listNames, parseToolName } from './tool-names.ts';
import type { KnownTool, LeftOutTool } from './types.ts';

/** Maximum number of tool names in the message, because a longer list costs more tokens than it helps. */
const MAX_NAMES = 100;
const MAX_SHOWN_NAME = 200;

/** Returns the message for the model when it calls a name that is no callable tool. */
export function unknownToolMessage(
  asked: string,
  {
    catalogue,
    leftOut,
    unavailable,
  }: {
    catalogue: ReadonlyMap<string, KnownTool>;
    leftOut: readonly LeftOutTool[];
    unavailable: ReadonlyMap<string, string>;
  },
): string {
  const shown = asked.slice(0, MAX_SHOWN_NAME);
  const name = parseToolName(asked);
  const away = name === null ? undefined : unavailable.get(name.server);
  const names = [...catalogue.values()].map((tool) => tool.definition.name);
  const available =
    names.length === 0 ? 'No tools are available.' : `Available tools: ${listNames(names, MAX_NAMES)}.`;
  if (name !== null && away !== undefined) {
    return `Tool "${shown}" cannot be called: MCP server "${name.server}" is unavailable (${away}). ${available}`;
  }
  const withheld = leftOut.find(
    (tool) => tool.kind === 'withheld' && tool.server === name?.server && tool.tool === name.tool,
  );
  if (withheld) return `Tool "${shown}" is withheld from you (${withheld.reason}). ${available}`;
  const form = name === null ? ' Tool names have the form server.tool.' : '';
  return `Unknown tool "${shown}".${form} ${available}`;
}
