import { matchesPattern } from '../../config/tool-policy.ts';
import type { ToolRulesConfig } from '../../config/types.ts';
import type { McpToolValue } from '../../db/entities/index.ts';
import { type NewWarning, WARNING_CATEGORIES } from '../../warnings.ts';
import { createToolPolicy } from '../tool-class.ts';
import { listNames, toolNameProblem } from '../tool-names.ts';
import type { ListedTool } from '../types.ts';

/** Maximum total size of a server's stored schemas (characters), because one page shows all of them. */
const MAX_SCHEMAS_CHARACTERS = 1024 * 1024;
/** Maximum number of tools that a warning names. The System page shows all tools. */
const MAX_NAMES = 40;

/** Returns tools for the System page. Replaces schemas beyond MAX_SCHEMAS_CHARACTERS by an empty schema. */
export function offerableTools(
  server: string,
  listed: readonly ListedTool[],
  rules: ToolRulesConfig,
  mask: (text: string) => string,
): McpToolValue[] {
  const tools = new Map<string, McpToolValue>();
  const policyOf = createToolPolicy(listed, rules);
  let room = MAX_SCHEMAS_CHARACTERS;
  for (const tool of listed) {
    if (tool.taskOnly || tools.has(tool.name) || toolNameProblem({ server, tool: tool.name }) !== null)
      continue;
    room -= JSON.stringify(tool.inputSchema).length;
    const { offered, policy } = policyOf(tool);
    tools.set(tool.name, {
      name: tool.name,
      description: tool.description === '' ? null : mask(tool.description),
      inputSchema: room >= 0 ? tool.inputSchema : { type: 'object' },
      ...tool.annotations,
      offered,
      policy,
    });
  }
  return [...tools.values()];
}

/** Returns a warning about undeclared tools and about patterns that match no tool; `null` if there are none. */
export function toolWarning(
  server: string,
  listed: readonly ListedTool[],
  rules: ToolRulesConfig,
): NewWarning | null {
  const policyOf = createToolPolicy(listed, rules);
  const undeclared = listed.filter(
    (tool) =>
      policyOf(tool).toolClass === 'undeclared' && toolNameProblem({ server, tool: tool.name }) === null,
  );
  const inPolicy = rules.policy.flatMap(({ tools }) => tools);
  const unmatched = [...rules.readOnlyTools, ...rules.changingTools, ...inPolicy].filter(
    (pattern) => !listed.some(({ name }) => matchesPattern(name, pattern)),
  );
  if (undeclared.length === 0 && unmatched.length === 0) return null;
  const setting = `mcp_servers.${server}`;
  const details: string[] = [];
  let message = `Some tool patterns of MCP server "${server}" match none of its tools.`;
  if (undeclared.length > 0) {
    message = `MCP server "${server}" does not declare which of its tools change something. Agents are offered them anyway.`;
    const names = listNames(
      undeclared.map(({ name }) => name),
      MAX_NAMES,
    );
    details.push(
      `List these tools in ${setting}.read_only_tools if they only read, or in changing_tools if they change something: ${names}.`,
    );
  }
  if (unmatched.length > 0)
    details.push(`These patterns of ${setting} match no tool of the server: ${unmatched.join(', ')}.`);
  return { category: WARNING_CATEGORIES.mcpTools, message, details: details.join(' '), serverId: server };
}
