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
 * Validates the MCP servers and tools that an alert selects. Servers and native tools must be selectable for
 * the alert type. Other tools must be in the server's last known list; if there is none, the investigation
 * checks them.
 * @throws ValidationError
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
    const refuse = (part: 'name' | 'tools', message: string) => {
      throw new ValidationError(message, `mcp.servers.${position}.${part}`);
    };
    if (!config.mcpServers[name]) {
      const known = Object.keys(config.mcpServers).sort().join(', ');
      refuse('name', `Unknown MCP server "${printableExcerpt(name)}". Known servers: ${known}.`);
    }
    if (!selectable.includes(name)) {
      const ones = selectable.length === 0 ? 'it uses none' : `it may choose from ${selectable.join(', ')}`;
      const problem = `An alert of the type "${alertType}" cannot choose the MCP server "${name}": ${ones}.`;
      refuse('name', `${problem} The setting system.mcp_selection decides.`);
    }
    if (seen.has(name)) refuse('name', `The MCP server "${name}" is chosen twice; name its tools together.`);
    seen.add(name);
    if ((tools?.length ?? 0) > MAX_TOOLS_NAMED)
      refuse('tools', `At most ${MAX_TOOLS_NAMED} tools of a server can be named.`);
  }
  checkNativeTools(config, alertType, mcpSelection.nativeTools ?? {});
  await checkTools(db, servers);
}

type ChosenNativeTools = NonNullable<McpSelectionValue['nativeTools']>;

const NATIVE_TOOLS: readonly (readonly [keyof ChosenNativeTools, NativeTool])[] = [
  ['googleSearch', 'google_search'],
  ['codeExecution', 'code_execution'],
  ['urlContext', 'url_context'],
];

function checkNativeTools(config: Config, alertType: string, chosen: ChosenNativeTools): void {
  const selectable = selectableNativeTools(config, alertType);
  for (const [key, tool] of NATIVE_TOOLS) {
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
  const { rows } = await db.query<{ id: string; names: string[] }>(
    `select id, array(select tool->>'name' from jsonb_array_elements(tools) tool) as names
     from mcp_server_health where id = any($1) and (healthy or tools <> '[]')`,
    [choosing.map(({ name }) => name)],
  );
  const known = new Map(rows.map(({ id, names }) => [id, new Set(names)]));
  for (const [position, { name, tools }] of servers.entries()) {
    const has = known.get(name); // undefined for a server that was never healthy
    for (const [index, tool] of (tools ?? []).entries()) {
      if (has === undefined ? MODEL_TOOL_NAME.test(tool) : has.has(tool)) continue;
      const list = [...(has ?? [])].slice(0, MAX_LISTED).join(', ');
      const rest = (has?.size ?? 0) > MAX_LISTED ? ', …' : '';
      const hint = has === undefined ? '' : ` Available tools: ${list}${rest}.`;
      throw new ValidationError(
        `The MCP server "${name}" has no tool "${printableExcerpt(tool)}".${hint}`,
        `mcp.servers.${position}.tools.${index}`,
      );
    }
  }
}

/** Matches names of tools that a model can be offered. */
const MODEL_TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
