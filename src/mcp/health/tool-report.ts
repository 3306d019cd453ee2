import type { ToolRulesConfig } from '../../config/types.ts';
import type { McpToolValue } from '../../db/entities/index.ts';
import type { ListedTool } from '../listed-tool.ts';
import { toolPolicies } from '../tool-class.ts';
import { toolNameProblem } from '../tool-names.ts';

/** Characters of all schemas of a server together, as kept for people: a page shows them all. */
const MAX_SCHEMAS_CHARACTERS = 1024 * 1024;

/**
 * The tools of a server that a model can be offered, for people to look at. `mask` takes secrets out of descriptions.
 * Schemas beyond a total size are left out.
 */
export function shownTools(
  server: string,
  listed: readonly ListedTool[],
  rules: ToolRulesConfig,
  mask: (text: string) => string,
): McpToolValue[] {
  const tools = new Map<string, McpToolValue>();
  const policyOf = toolPolicies(listed, rules);
  let room = MAX_SCHEMAS_CHARACTERS;
  for (const tool of listed) {
    if (tool.taskOnly || tools.has(tool.name) || toolNameProblem({ server, tool: tool.name }) !== null)
      continue;
    const size = JSON.stringify(tool.inputSchema).length;
    room -= size;
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
