import { request } from '../../src/cli/api.ts';

const SESSION = /* GraphQL */ `
  {
    sessions(first: 1) {
      nodes {
        status finalAnalysis errorMessage durationMs
        tokenUsage { inputTokens outputTokens }
        trace {
          stages { executions { llmInteractions { ...Call } mcpInteractions { toolName } } }
          sessionInteractions { ...Call }
        }
      }
    }
  }
  fragment Call on LlmInteraction {
    type modelName errorMessage durationMs
    tokenUsage { inputTokens outputTokens }
  }
`;

interface Usage {
  inputTokens: number;
  outputTokens: number;
}

interface Call {
  type: string;
  modelName: string;
  errorMessage: string | null;
  durationMs: number;
  tokenUsage: Usage;
}

interface Investigation {
  status: string;
  finalAnalysis: string | null;
  errorMessage: string | null;
  durationMs: number | null;
  tokenUsage: Usage;
  trace: {
    stages: {
      executions: {
        llmInteractions: Call[];
        mcpInteractions: { toolName: string | null }[];
      }[];
    }[];
    sessionInteractions: Call[];
  };
}

/**
 * Checks the newest session through the API.
 * @returns the session's facts as lines, and its problems; none if `model` completed an investigation
 */
export async function checkNewestSession(
  graphql: URL,
  model: string,
  signal: AbortSignal,
): Promise<{ report: string[]; problems: string[] }> {
  const server = { url: graphql, token: null, requiredScopes: 'READ' };
  const operation = { document: SESSION, variables: {}, signal };
  const { sessions } = await request<{ sessions: { nodes: Investigation[] } }>(server, operation);
  const [session] = sessions.nodes;
  if (!session) return { report: [], problems: ['there is no session'] };
  const executions = session.trace.stages.flatMap((stage) => stage.executions);
  const calls = executions.flatMap(({ llmInteractions }) => llmInteractions);
  const tools = executions.flatMap(({ mcpInteractions }) => mcpInteractions).filter((call) => call.toolName);

  const problems: string[] = [];
  if (session.status !== 'COMPLETED') problems.push(`${session.status}: ${session.errorMessage ?? ''}`);
  if (!session.finalAnalysis?.trim()) problems.push('the analysis is empty');
  const answered = calls.filter((call) => call.modelName === model && call.tokenUsage.outputTokens > 0);
  if (answered.length === 0) problems.push(`no answer of ${model} is in the trace`);

  const seconds = (ms: number | null) => `${((ms ?? 0) / 1000).toFixed(1)} s`;
  const usage = ({ inputTokens, outputTokens }: Usage) => `${inputTokens} tokens in, ${outputTokens} out`;
  const report = [
    `status: ${session.status} after ${seconds(session.durationMs)}, ${usage(session.tokenUsage)}`,
    `analysis: ${session.finalAnalysis?.length ?? 0} characters`,
    `tool calls: ${tools.length}`,
    ...[...calls, ...session.trace.sessionInteractions].map((call) => {
      const end = call.errorMessage === null ? '' : `, ${call.errorMessage}`;
      return `${call.type}: ${call.modelName}, ${seconds(call.durationMs)}, ${usage(call.tokenUsage)}${end}`;
    }),
  ];
  return { report, problems };
}
