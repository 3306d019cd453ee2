import { matchesPattern } from '../../config/tool-policy.ts';
import type { ToolRulesConfig } from '../../config/types.ts';
import type { McpToolValue } from '../../db/entities/index.ts';
import { type NewWarning, WARNING_CATEGORIES } from '../../warnings.ts';
import { createToolPolicy } from '../tool-class.ts';
import { listNames, toolNameProblem } from '../tool-names.ts';
import type { ListedTool, SchemaChange } from '../types.ts';

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

/** Returns a warning about tools and settings that an operator should know of; `null` if there is nothing to say. */
export function toolWarning(
  server: string,
  listed: readonly ListedTool[],
  rules: ToolRulesConfig,
): NewWarning | null {
  const findings = [
    undeclared(server, listed, rules),
    ...changedSchemas(server, listed),
    unmatched(server, listed, rules),
  ].filter((finding) => finding !== null);
  const [first] = findings;
  if (first === undefined) return null;
  const details = findings.map((finding) => finding.details).join(' ');
  return { category: WARNING_CATEGORIES.mcpTools, message: first.message, details, serverId: server };
}

interface Finding {
  message: string;
  details: string;
}

function undeclared(server: string, listed: readonly ListedTool[], rules: ToolRulesConfig): Finding | null {
  const policyOf = createToolPolicy(listed, rules);
  const tools = usable(server, listed).filter((tool) => policyOf(tool).toolClass === 'undeclared');
  if (tools.length === 0) return null;
  return {
    message: `MCP server "${server}" does not declare which tools make changes. Agents can use all of them.`,
    details: `Add each tool to mcp_servers.${server}.read_only_tools or changing_tools: ${namesOf(tools)}.`,
  };
}

const CHANGES: Readonly<Record<SchemaChange, string>> = {
  shortened: 'Argument descriptions are too long, so models see a shortened form',
  unusable: 'Arguments are not described as an object, so models see none',
};

function changedSchemas(server: string, listed: readonly ListedTool[]): Finding[] {
  const tools = usable(server, listed).filter(({ schemaChange }) => schemaChange !== null);
  return [...Map.groupBy(tools, ({ schemaChange }) => schemaChange!)].map(([change, changed]) => ({
    message: `MCP server "${server}" describes the arguments of some tools in a form that models cannot fully use.`,
    details: `${CHANGES[change]}: ${namesOf(changed)}.`,
  }));
}

function unmatched(server: string, listed: readonly ListedTool[], rules: ToolRulesConfig): Finding | null {
  const inPolicy = rules.policy.flatMap(({ tools }) => tools);
  const patterns = [...rules.readOnlyTools, ...rules.changingTools, ...inPolicy].filter(
    (pattern) => !listed.some(({ name }) => matchesPattern(name, pattern)),
  );
  if (patterns.length === 0) return null;
  return {
    message: `Some tool patterns for MCP server "${server}" match no tool.`,
    details: `Patterns in mcp_servers.${server} without a matching tool: ${patterns.join(', ')}.`,
  };
}

const usable = (server: string, listed: readonly ListedTool[]) =>
  listed.filter(({ name }) => toolNameProblem({ server, tool: name }) === null);

const namesOf = (tools: readonly ListedTool[]) =>
  listNames(
    tools.map(({ name }) => name),
    MAX_NAMES,
  );
