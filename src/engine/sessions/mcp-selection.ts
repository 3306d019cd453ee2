import { ValidationError } from '../../common/errors.ts';
import { printableExcerpt } from '../../common/printable.ts';
import type { NativeTool } from '../../config/enums.ts';
import { selectableNativeTools, selectableServers } from '../../config/server-selection.ts';
import type { Config } from '../../config/types.ts';
import type { McpSelectionValue } from '../../db/entities/index.ts';
import type { Queryable } from '../../db/queryable.ts';

/** Maximum number of tools that an alert may name per server: more than any server offers to a model. */
const MAX_TOOLS_NAMED = 1000;
/** Maximum number of a server's tools listed in an error message. */
const MAX_LISTED = 30;

/**
 * Validates the servers and tools that an alert selects. Servers and native tools must be selectable for its alert type. A
 * server's tools must be in its last known list; without such a list, the investigation checks them when it connects.
 * @throws ValidationError with the field
 */
export async function checkMcpSelection(
  db: Queryable,
  config: Config,
  { alertType, mcpSelection }: { alertType: string; mcpSelection: McpSelectionValue | null },
): Promise<void> {
  if (mcpSelection === null) return;
  const { servers } = mcpSelection;
  const selectable = selectableServers(config, alertType) ?? [];
  const seen = new Set<string>();
  for (const [position, { name, tools }] of servers.entries()) {
    const field = `mcp.servers.${position}`;
    if (!config.mcpServers[name]) {
      const known = Object.keys(config.mcpServers).sort().join(', ');
      throw new ValidationError(
        `Unknown MCP server "${printableExcerpt(name)}". Known servers: ${known}.`,
        `${field}.name`,
      );
    }
    if (!selectable.includes(name)) {
      const ones = selectable.length === 0 ? 'it uses none' : `it may choose from ${selectable.join(', ')}`;
      throw new ValidationError(
        `An alert of the type "${alertType}" cannot choose the MCP server "${name}": ${ones}. The setting system.mcp_selection decides.`,
        `${field}.name`,
      );
    }
    if (seen.has(name))
      throw new ValidationError(
        `The MCP server "${name}" is chosen twice; name its tools together.`,
        `${field}.name`,
      );
    seen.add(name);
    if ((tools?.length ?? 0) > MAX_TOOLS_NAMED)
      throw new ValidationError(
        `At most ${MAX_TOOLS_NAMED} tools of a server can be named.`,
        `${field}.tools`,
      );
  }
  checkNativeTools(config, alertType, mcpSelection.nativeTools ?? {});
  await checkTools(db, servers);
}

const NATIVE_TOOLS: Record<keyof NonNullable<McpSelectionValue['nativeTools']>, NativeTool> = {
  googleSearch: 'google_search',
  codeExecution: 'code_execution',
  urlContext: 'url_context',
};

function checkNativeTools(
  config: Config,
  alertType: string,
  chosen: NonNullable<McpSelectionValue['nativeTools']>,
): void {
  const selectable = selectableNativeTools(config, alertType);
  for (const key of Object.keys(NATIVE_TOOLS) as (keyof typeof NATIVE_TOOLS)[]) {
    const tool = NATIVE_TOOLS[key];
    if (chosen[key] !== true || selectable.includes(tool)) continue;
    throw new ValidationError(
      `An alert of the type "${alertType}" cannot switch on ${tool}: it is off for all of its agents. The settings native_tools and system.mcp_selection decide.`,
      `mcp.nativeTools.${key}`,
    );
  }
}

async function checkTools(db: Queryable, servers: McpSelectionValue['servers']): Promise<void> {
  const choosing = servers.filter(({ tools }) => tools !== null && tools.length > 0);
  if (choosing.length === 0) return;
  const known = await knownTools(
    db,
    choosing.map(({ name }) => name),
  );
  for (const [position, { name, tools }] of servers.entries()) {
    const has = known.get(name);
    for (const [index, tool] of (tools ?? []).entries()) {
      if (has === undefined ? isToolName(tool) : has.has(tool)) continue;
      const list = [...(has ?? [])].slice(0, MAX_LISTED).join(', ');
      const rest = (has?.size ?? 0) > MAX_LISTED ? ', …' : '';
      const hint = has === undefined ? '' : ` Its tools: ${list}${rest}.`;
      throw new ValidationError(
        `The MCP server "${name}" has no tool "${printableExcerpt(tool)}".${hint}`,
        `mcp.servers.${position}.tools.${index}`,
      );
    }
  }
}

/** True if a model can be offered a tool of this name. */
function isToolName(tool: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(tool);
}

/** Returns the tool names of each server that was healthy at least once. */
async function knownTools(db: Queryable, ids: readonly string[]): Promise<Map<string, Set<string>>> {
  const { rows } = await db.query<{ id: string; names: string[] }>(
    `select id, array(select tool->>'name' from jsonb_array_elements(tools) tool) as names
     from mcp_server_health where id = any($1) and (healthy or tools <> '[]')`,
    [ids],
  );
  return new Map(rows.map(({ id, names }) => [id, new Set(names)]));
}
