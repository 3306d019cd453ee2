import type { Logger } from 'pino';
import { matchesPattern } from '../config/tool-policy.ts';
import type { ToolRulesConfig } from '../config/types.ts';
import { FIND_TOOLS } from './find-tools.ts';
import { createToolPolicy } from './tool-class.ts';
import { canonicalName, toFunctionName, toolNameProblem } from './tool-names.ts';
import type { KnownTool, LeftOutTool, ListedTool } from './types.ts';

export interface ServerTools {
  server: string;
  listed: readonly ListedTool[];
  wanted: readonly string[] | null;
  /** Patterns of `server.tool` names; only matching tools are used. `null` if there is no such restriction. */
  only?: readonly string[] | null;
  rules: ToolRulesConfig;
}

export interface Catalogue {
  /** Callable tools by function name: the servers in the given order, the tools of each in the order of its list. */
  tools: Map<string, KnownTool>;
  leftOut: LeftOutTool[];
}

const MAX_LOGGED = 20;

/** Collects the callable tools. Lists withheld, badly named, duplicate and missing tools in `leftOut`. */
export function buildCatalogue(servers: readonly ServerTools[], logger: Logger): Catalogue {
  const tools = new Map<string, KnownTool>();
  const leftOut: LeftOutTool[] = [];
  for (const { server, listed, wanted, only = null, rules } of servers) {
    const missing = new Set(wanted ?? []);
    const warn = createSkipLogger(server, logger);
    const skip = (tool: string, reason: string) => {
      warn(tool, reason);
      leftOut.push({ server, tool, reason, kind: 'unusable' });
    };
    const policyOf = createToolPolicy(listed, rules);
    for (const tool of listed) {
      const { name, description, inputSchema, outputSchema, annotations } = tool;
      missing.delete(name);
      if (wanted !== null && !wanted.includes(name)) continue;
      const canonical = canonicalName({ server, tool: name });
      if (only !== null && !only.some((pattern) => matchesPattern(canonical, pattern))) continue;
      const key = toFunctionName(canonical);
      const { toolClass, action, terms, offered, policy } = policyOf(tool);
      const problem =
        toolNameProblem({ server, tool: name }) ??
        (tool.taskOnly ? 'the tool can be called as a background task only' : null) ??
        (tools.has(key) || canonical === FIND_TOOLS ? 'another tool has the same name' : null);
      if (problem !== null) skip(name, problem);
      else if (!offered) leftOut.push({ server, tool: name, reason: policy, kind: 'withheld' });
      else {
        const idempotent = rules.trustAnnotations && annotations.idempotent === true;
        const ask = action === 'ask' ? { ...terms, policy } : null;
        // Tools that need approval are never repeated, whatever the server declares.
        const repeatable = ask === null && (toolClass === 'reads' || idempotent);
        const definition = {
          name: canonical,
          description,
          inputSchema,
          outputSchema: outputSchema ?? null,
          toolClass,
          annotations,
          repeatable,
          ask,
        };
        tools.set(key, { server, tool: name, definition });
      }
    }
    for (const name of missing) skip(name, 'the server does not have it');
  }
  return { tools, leftOut };
}

function createSkipLogger(server: string, logger: Logger): (tool: string, reason: string) => void {
  let count = 0;
  return (tool, reason) => {
    count += 1;
    if (count <= MAX_LOGGED)
      logger.warn({ mcpServer: server, tool: tool.slice(0, 100), reason }, 'MCP tool left out');
    if (count === MAX_LOGGED + 1) logger.warn({ mcpServer: server }, 'more MCP tools left out');
  };
}
