import type { Logger } from 'pino';
import type { IterationStrategy } from '../../config/enums.ts';
import type { LlmInteractionType, TerminalStatus } from '../../db/enums.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { Masking } from '../../masking/masking.ts';
import type { LeftOutTool, ToolExecutor } from '../../mcp/types.ts';
import type { LlmClient, LlmSettings } from '../llm/client.ts';
import type { LlmOutages } from '../llm/outages.ts';
import type { PromptWindow } from '../llm/window.ts';
import type { SummaryPlan } from './summarize.ts';
import type { Transcript } from './transcript.ts';

/** Limits of an agent's work; `…Ms` are milliseconds. */
export interface AgentLimits {
  maxIterations: number;
  iterationMs: number;
  toolCallMs: number;
  /** That it waits for a model that cannot be had. */
  outageMs: number;
  /** Failed calls of the model in a row after which it gives up; those that it waited for do not count. */
  maxConsecutiveFailures: number;
  /** Of a tool result in the trace, UTF-16 code units. */
  traceResultUnits: number;
}

/** Tools as the opening messages need to know them. */
export interface OfferedTools {
  hasTools: boolean;
  /** Servers that could not be reached → why. */
  unavailableServers: ReadonlyMap<string, string>;
  /** Tools that are there and not offered. */
  leftOutTools: readonly LeftOutTool[];
}

/** All that an agent works with. */
export interface AgentContext {
  db: Queryable;
  sessionId: string;
  executionId: string;
  agentName: string;
  strategy: IterationStrategy;
  llm: LlmSettings;
  limits: AgentLimits;
  client: LlmClient;
  outages: LlmOutages;
  /** Of the model that `llm` names. */
  window: PromptWindow;
  tools: ToolExecutor;
  masking: Pick<Masking, 'maskToolResult' | 'isMasked'>;
  /** How long results of a server are summarized; null = they are not. */
  summaryPlan: (serverName: string) => SummaryPlan | null;
  transcript: Transcript;
  /** The first two messages; the loop says what there is of tools. */
  opening: (tools: OfferedTools) => { system: string; user: string };
  /** What the calls of the model are for, as the trace names them. */
  interactionType: Extract<LlmInteractionType, 'ITERATION' | 'SYNTHESIS' | 'CHAT_RESPONSE'>;
  /** Aborts when the session ends, with the reason why. */
  signal: AbortSignal;
  logger: Logger;
}

/** How an agent's work ended. An abort is thrown instead, as the signal's reason. */
export interface AgentResult {
  status: Extract<TerminalStatus, 'COMPLETED' | 'FAILED' | 'TIMED_OUT'>;
  finalAnalysis: string | null;
  errorMessage: string | null;
}
