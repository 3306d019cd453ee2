import type { GenerateRequest } from '../../src/engine/model/gen/llm_service.ts';
import type { ApiClient } from './api.ts';

interface Message {
  role: string;
  content: string;
  toolCallId: string | null;
}

/** The stored conversation and trace of the first agent of an investigation with long tool results. */
export interface Summarized {
  /** The session's UUID, as requests to the model contain it. */
  rawId: string;
  session: { status: string; finalAnalysis: string | null };
  timeline: {
    id: string;
    type: string;
    status: string;
    content: string;
    metadata: Record<string, unknown> | null;
  }[];
  messages: Message[];
  llm: {
    type: string;
    modelName: string;
    thinking: string | null;
    response: { text: string };
    conversation: Message[];
    tokenUsage: { inputTokens: number; outputTokens: number; totalTokens: number };
    errorMessage: string | null;
  }[];
  mcp: { toolName: string | null; result: { content: string } | null }[];
}

export async function readSummarized(api: ApiClient, id: string): Promise<Summarized> {
  const { session } = await api.query<{
    session: Summarized['session'] & {
      timeline: Summarized['timeline'];
      stages: { executions: { messages: Message[] }[] }[];
      trace: {
        stages: {
          executions: { llmInteractions: Summarized['llm']; mcpInteractions: Summarized['mcp'] }[];
        }[];
      };
    };
  }>(
    `query ($id: ID!) { session(id: $id) { status finalAnalysis
       timeline { id type status content metadata }
       stages { executions { messages { role content toolCallId } } }
       trace { stages { executions {
         llmInteractions { type modelName thinking response conversation { role content toolCallId } errorMessage
           tokenUsage { inputTokens outputTokens totalTokens } }
         mcpInteractions { toolName result } } } } } }`,
    { id },
  );
  const trace = session.trace.stages[0]!.executions[0]!;
  return {
    rawId: Buffer.from(id, 'base64')
      .toString()
      .replace(/^Session:/, ''),
    session,
    timeline: session.timeline,
    messages: session.stages[0]!.executions[0]!.messages,
    llm: trace.llmInteractions,
    mcp: trace.mcpInteractions,
  };
}

/** True if a model call requests the summary of a tool result. */
export function isSummarization(request: GenerateRequest): boolean {
  return request.messages[0]?.content.startsWith('You shorten the result of the tool') ?? false;
}
