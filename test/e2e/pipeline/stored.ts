import type { ApiClient } from '../../helpers/api.ts';

interface TimelineItem {
  sequenceNumber: number;
  type: string;
  status: string;
  content: string;
  metadata: Record<string, unknown> | null;
  stage: { name: string } | null;
  execution: { id: string } | null;
}

interface Execution {
  id: string;
  agentName: string;
  agentIndex: number;
  iterationStrategy: string;
  llmProvider: string;
  modelName: string;
  status: string;
  errorMessage: string | null;
  tokenUsage: Record<string, number>;
  messages: Message[];
}

export interface Message {
  sequenceNumber: number;
  role: string;
  content: string;
  toolCalls: { id: string; name: string; arguments: string }[];
  toolCallId: string | null;
  toolName: string | null;
}

interface Stage {
  name: string;
  index: number;
  executions: Execution[];
  [field: string]: unknown;
}

interface LlmInteraction {
  type: string;
  request: Record<string, unknown>;
  conversation: { role: string; content: string }[];
  [field: string]: unknown;
}

interface McpInteraction {
  serverName: string;
  toolName: string | null;
  arguments: unknown;
  availableTools: { name: string }[] | null;
  [field: string]: unknown;
}

/** All that the API returns about a stored session. */
export interface Stored {
  stages: Stage[];
  timeline: TimelineItem[];
  trace: {
    stages: {
      stage: { name: string };
      executions: {
        execution: { agentName: string };
        llmInteractions: LlmInteraction[];
        mcpInteractions: McpInteraction[];
      }[];
    }[];
    sessionInteractions: LlmInteraction[];
  };
  [field: string]: unknown;
}

const USAGE = `tokenUsage { inputTokens outputTokens thinkingTokens totalTokens cachedReadTokens
  cacheWriteTokens }`;
const LLM = `type iteration provider modelName request response thinking errorMessage ${USAGE}
  conversation { role content }`;

const DOCUMENT = `query ($id: ID!) { session(id: $id) {
  alertType alertData chainId status author errorMessage finalAnalysis executiveSummary executiveSummaryError
  currentStage { name } ${USAGE}
  stages { name index type status parallelType successPolicy expectedAgentCount errorMessage referencedStage { name }
    executions { id agentName agentIndex iterationStrategy llmProvider modelName status errorMessage ${USAGE}
      messages { sequenceNumber role content toolCalls { id name arguments } toolCallId toolName } } }
  timeline { sequenceNumber type status content metadata stage { name } execution { id } }
  chat { createdBy messages { author content stage { name index status } } }
  trace {
    stages { stage { name } executions { execution { agentName }
      llmInteractions { ${LLM} }
      mcpInteractions { serverName toolName arguments result availableTools errorMessage } } }
    sessionInteractions { ${LLM} } } } }`;

export async function readStored(api: ApiClient, id: string): Promise<Stored> {
  const { session } = await api.query<{ session: Stored }>(DOCUMENT, { id });
  return session;
}
