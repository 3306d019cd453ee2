import { QUICK_MCP } from '../helpers/mcp/quick-server.ts';
import type { ScriptedLlm } from '../helpers/scripted-llm/index.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

/**
 * Number of model calls of an agent: two with a tool call, one that concludes. The executive summary follows.
 */
const ITERATIONS = 3;

const [command, ...args] = QUICK_MCP;

/** Configuration of an MCP server whose program starts at once, so that its own start does not count. */
export const QUICK_TOOLS = { transport: { type: 'stdio', command, args, env: {} } };

export interface Watched {
  sessionId: string;
  /** Number of the iteration, from 1. */
  iteration: number;
  /** Time at which the call began, on this process's clock (ms). */
  asked: number;
  answered: Promise<number>;
}

/**
 * Scripts three iterations for every session, with two calls of `tools.echo`. `watch` is called for each
 * model call.
 */
export function scriptInvestigations(llm: ScriptedLlm, watch: (call: Watched) => void = () => {}): void {
  llm.otherwise((request, call) => {
    const asked = performance.now();
    if (request.tools.length === 0) return { text: 'Summary.' };
    const iteration = request.messages.filter(({ role }) => role === 'assistant').length + 1;
    const answered = call.ended.then(() => performance.now());
    watch({ sessionId: request.sessionId, iteration, asked, answered });
    return iteration < ITERATIONS
      ? [{ text: 'I look. ' }, toolCall('tools.echo', { text: String(iteration) })]
      : { text: 'Done.' };
  });
}
