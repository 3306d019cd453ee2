import type { Logger } from 'pino';
import { readListedTool } from './listed-tool.ts';
import { canonicalName, toFunctionName, toolNameProblem } from './tool-names.ts';
import type { ToolDefinition } from './types.ts';

/** A tool that may be called, and where. */
export interface KnownTool {
  server: string;
  tool: string;
  definition: ToolDefinition;
}

/** What a server listed, and which of it is wanted. */
export interface ServerTools {
  server: string;
  listed: readonly unknown[];
  /** Null: all. */
  wanted: readonly string[] | null;
}

/**
 * The tools of all servers that can be offered, keyed by function name, in order. What cannot be offered is left out
 * with a warning: names no model takes, doubles, tools beyond `maxTools`, wanted tools that the server does not have.
 */
export function buildCatalogue(
  servers: readonly ServerTools[],
  maxTools: number,
  logger: Logger,
): Map<string, KnownTool> {
  const catalogue = new Map<string, KnownTool>();
  for (const { server, listed, wanted } of servers) {
    const missing = new Set(wanted ?? []);
    const skip = (tool: string, reason: string) =>
      logger.warn({ mcpServer: server, tool: tool.slice(0, 100), reason }, 'MCP tool left out');
    for (const raw of listed) {
      const listedTool = readListedTool(raw);
      if (listedTool === null) {
        skip('', 'the server describes it without a name');
        continue;
      }
      const { name, taskOnly, ...definition } = listedTool;
      missing.delete(name);
      if (wanted !== null && !wanted.includes(name)) continue;
      const key = toFunctionName(canonicalName({ server, tool: name }));
      const problem =
        toolNameProblem({ server, tool: name }) ??
        (taskOnly ? 'it can be called as a background task only' : null) ??
        (catalogue.has(key) ? 'another tool has the same name' : null) ??
        (catalogue.size >= maxTools ? `there are more than ${maxTools} tools` : null);
      if (problem !== null) skip(name, problem);
      else
        catalogue.set(key, {
          server,
          tool: name,
          definition: { name: canonicalName({ server, tool: name }), ...definition },
        });
    }
    for (const name of missing) skip(name, 'the server does not have it');
  }
  return catalogue;
}
