import { truncate } from '../../../common/truncate.ts';
import type { ToolCallValue } from '../../../db/entities/index.ts';
import type { ResolvedCall } from '../../../mcp/types.ts';
import type { AgentContext } from '../../run-context/types.ts';

/** UTF-16 code units of what a tool says it would do. */
const MAX_UNITS = 8_000;

/** What a tool says that a call would do, masked; null where policy names no parameter for that, or the tool has none of this name. */
export async function dryRun(
  { tools, resolved, signal }: AgentContext,
  call: ToolCallValue,
  { definition, parameters }: ResolvedCall,
): Promise<string | null> {
  const name = definition.ask?.dryRun ?? null;
  if (name === null || !isSwitch(definition.inputSchema, name)) return null;
  const dry = { ...call, arguments: JSON.stringify({ ...parameters, [name]: true }) };
  const options = { signal, timeoutMs: resolved.timeouts.toolCallMs, approved: true };
  const { content, isError } = await tools.execute(dry, options);
  return truncate(isError ? `It failed: ${content}` : content, MAX_UNITS);
}

/** Only a parameter that is declared as true or false: any other name would be passed over, and the call made. */
function isSwitch({ properties }: Record<string, unknown>, name: string): boolean {
  if (typeof properties !== 'object' || properties === null || !Object.hasOwn(properties, name)) return false;
  const property = (properties as Record<string, unknown>)[name];
  return (
    typeof property === 'object' && property !== null && 'type' in property && property.type === 'boolean'
  );
}
