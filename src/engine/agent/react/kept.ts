import { parseToolName } from '../../../mcp/tool-names.ts';
import type { AgentContext } from '../agent.ts';
import type { ReactResponse } from '../react-parser.ts';

/**
 * A response as it may be kept. The arguments of a call are part of its text, so all of it is masked, by the settings of
 * the server that it calls; a final answer stays as it was shown.
 */
export function keptResponse(context: AgentContext, response: ReactResponse): string {
  return keptText(context, response, response.text);
}

/** The text that was parsed, kept in the same way. */
export function keptText({ masking }: AgentContext, response: ReactResponse, text: string): string {
  if (response.kind === 'final_answer') return text;
  const server = response.kind === 'thought_action' ? parseToolName(response.call.name)?.server : undefined;
  return masking.maskToolResult(server ?? '', text);
}
