import type { Logger } from 'pino';
import type { ToolRulesConfig } from '../../config/types.ts';
import type { ListedTool } from './listed-tool.ts';
import { toolPolicies } from './tool-class.ts';
import { canonicalName, toFunctionName, toolNameProblem } from './tool-names.ts';
import type { LeftOutTool, ToolDefinition } from './types.ts';

/** A tool that may be called, and where. */
export interface KnownTool {
  server: string;
  tool: string;
  definition: ToolDefinition;
}

/** What a server listed, and which of it is wanted. */
export interface ServerTools {
  server: string;
  listed: readonly ListedTool[];
  /** Null: all. */
  wanted: readonly string[] | null;
  rules: ToolRulesConfig;
}

export interface Catalogue {
  /** By function name, in order. */
  tools: Map<string, KnownTool>;
  leftOut: LeftOutTool[];
}

/** Descriptions and schemas of all tools, in characters: they go with every question to the model. */
const MAX_TOTAL_CHARACTERS = 400_000;
/** Of a description, once the room for all is used up. */
const SHORT_DESCRIPTION_CHARACTERS = 200;
/** Tools left out are worth a look, not a log full. */
const MAX_LOGGED = 20;

/**
 * The tools of all servers that can be offered. The others are left out with a warning: names no model takes, doubles,
 * tools beyond `maxTools`, wanted tools that the server does not have; and, as usual, those that policy withholds.
 */
export function buildCatalogue(servers: readonly ServerTools[], maxTools: number, logger: Logger): Catalogue {
  const tools = new Map<string, KnownTool>();
  const leftOut: LeftOutTool[] = [];
  const shorten = createShortener();
  for (const { server, listed, wanted, rules } of servers) {
    const missing = new Set(wanted ?? []);
    const warn = createSkipper(server, logger);
    const skip = (tool: string, reason: string) => {
      warn(tool, reason);
      leftOut.push({ server, tool, reason, withheld: false });
    };
    const policyOf = toolPolicies(listed, rules);
    for (const tool of listed) {
      const { name, description, inputSchema, annotations } = tool;
      missing.delete(name);
      if (wanted !== null && !wanted.includes(name)) continue;
      const canonical = canonicalName({ server, tool: name });
      const key = toFunctionName(canonical);
      const { toolClass, offered, policy } = policyOf(tool);
      const problem =
        toolNameProblem({ server, tool: name }) ??
        (tool.taskOnly ? 'it can be called as a background task only' : null) ??
        (tools.has(key) ? 'another tool has the same name' : null) ??
        (offered && tools.size >= maxTools ? `there are more than ${maxTools} tools` : null);
      if (problem !== null) skip(name, problem);
      else if (!offered) leftOut.push({ server, tool: name, reason: policy, withheld: true });
      else {
        const idempotent = rules.trustAnnotations && annotations.idempotent === true;
        const repeatable = toolClass === 'reads' || idempotent;
        const definition = { name: canonical, description, inputSchema, toolClass, annotations, repeatable };
        tools.set(key, { server, tool: name, definition: shorten(definition) });
      }
    }
    for (const name of missing) skip(name, 'the server does not have it');
  }
  return { tools, leftOut };
}

function createSkipper(server: string, logger: Logger): (tool: string, reason: string) => void {
  let count = 0;
  return (tool, reason) => {
    count += 1;
    if (count <= MAX_LOGGED)
      logger.warn({ mcpServer: server, tool: tool.slice(0, 100), reason }, 'MCP tool left out');
    if (count === MAX_LOGGED + 1) logger.warn({ mcpServer: server }, 'more MCP tools are left out');
  };
}

/** Leaves tools as they are while there is room for all of them, and describes those after that in short. */
function createShortener(): (tool: ToolDefinition) => ToolDefinition {
  let room = MAX_TOTAL_CHARACTERS;
  return (tool) => {
    room -= tool.description.length + JSON.stringify(tool.inputSchema).length;
    if (room >= 0) return tool;
    const description = tool.description.slice(0, SHORT_DESCRIPTION_CHARACTERS).toWellFormed();
    return { ...tool, description, inputSchema: { type: 'object', properties: {} } };
  };
}
