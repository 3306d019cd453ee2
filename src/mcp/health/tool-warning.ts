import { matchesPattern } from '../../config/tool-policy.ts';
import type { ToolRulesConfig } from '../../config/types.ts';
import { type NewWarning, WARNING_CATEGORIES } from '../../warnings.ts';
import type { ListedTool } from '../listed-tool.ts';
import { toolPolicies } from '../tool-class.ts';
import { toolNameProblem } from '../tool-names.ts';

/** Tools that a warning names; the System page shows all. */
const MAX_NAMES = 40;

/** What an operator should settle about a server's tools, or null: undeclared ones, and patterns that name none. */
export function toolWarning(
  server: string,
  listed: readonly ListedTool[],
  rules: ToolRulesConfig,
): NewWarning | null {
  const policyOf = toolPolicies(listed, rules);
  const undeclared = listed.filter(
    (tool) =>
      policyOf(tool).toolClass === 'undeclared' && toolNameProblem({ server, tool: tool.name }) === null,
  );
  const named = rules.policy.flatMap(({ tools }) => tools);
  const idle = [...rules.readOnlyTools, ...rules.changingTools, ...named].filter(
    (pattern) => !listed.some(({ name }) => matchesPattern(name, pattern)),
  );
  if (undeclared.length === 0 && idle.length === 0) return null;
  const setting = `mcp_servers.${server}`;
  const details = [
    undeclared.length === 0
      ? []
      : `Name in ${setting}.read_only_tools those that only read, and in changing_tools those that change something: ${names(undeclared)}.`,
    idle.length === 0
      ? []
      : `These patterns of ${setting} name no tool that the server has: ${idle.join(', ')}.`,
  ].flat();
  const message =
    undeclared.length > 0
      ? `MCP server "${server}" does not declare which of its tools change something. Agents are offered them all the same.`
      : `Patterns for the tools of MCP server "${server}" name none of them.`;
  return { category: WARNING_CATEGORIES.mcpTools, message, details: details.join(' '), serverId: server };
}

function names(tools: readonly ListedTool[]): string {
  const shown = tools.slice(0, MAX_NAMES).map(({ name }) => name);
  return shown.join(', ') + (tools.length > MAX_NAMES ? ` and ${tools.length - MAX_NAMES} more` : '');
}
