import type { Logger } from 'pino';
import type { ResolvedAgent, ResolvedLlm } from '../../config/resolve.ts';
import type { ChainConfig, Config } from '../../config/types.ts';
import type { AlertSessionRow } from '../../db/entities/index.ts';
import type { LlmInteractionType, TerminalStatus } from '../../db/enums.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { Masking } from '../../masking/masking.ts';
import type { LeftOutTool, McpSelection, ToolExecutor } from '../../mcp/types.ts';
import type { Runbooks } from '../../runbooks/runbooks.ts';
import type { Observer } from '../api/observer.ts';
import type { RunBudgets } from '../features/budgets/run-budgets.ts';
import type { OpenReplay } from '../features/cases/open-replay.ts';
import type { RecalledMemory } from '../features/memory/recall.ts';
import type { AgentSkills, Skills } from '../features/skills/skills.ts';
import type { Publisher } from '../live/publisher.ts';
import type { ProviderAvailability } from '../model/availability/provider-availability.ts';
import type { LlmClient, LlmSettings } from '../model/client.ts';
import type { PromptWindow } from '../model/context-window/window.ts';
import type { ProviderTurnCipher } from '../model/provider-turn-cipher.ts';
import type { LlmTask } from '../model/task.ts';
import type { Fence, RowChange } from '../store/event-statement.ts';
import type { SessionOutcome, SessionWithAlert } from '../store/sessions.ts';
import type { WorkEnd } from '../store/stages-and-executions.ts';
import type { ChainPlan } from './chain-plan.ts';
import type { AlertPrompt } from './investigation-prompt.ts';
import type { TimeBudget } from './time-budget.ts';
import type { Transcript } from './transcript.ts';

/** A run that holds the lease of a session, an answer or a score. */
export interface ClaimedRun {
  fence: Fence;
  /** Aborts when the run must stop. */
  signal: AbortSignal;
  time: TimeBudget;
  /** Refuses every query once the lease is lost or the run has ended. */
  db: Queryable;
  logger: Logger;
}

/** How a run ended, and its results. `noted`: row changes that are stored together with the end. */
export type RunOutcome = WorkEnd & Partial<SessionOutcome> & { noted?: readonly RowChange[] };

/** The task and settings of an agent, in a stage of any type. */
export interface AgentPlan {
  /** The agent's configured name; replicas are numbered. */
  name: string;
  resolved: ResolvedAgent;
  /** Purpose of the agent's model calls in the trace. */
  interactionType: Extract<LlmInteractionType, 'ITERATION' | 'SYNTHESIS' | 'CHAT_RESPONSE' | 'REPORT'>;
  selection: McpSelection;
  /** Returns the memories for the opening messages; default: none. */
  recall?: (() => Promise<RecalledMemory[]>) | undefined;
  /** Returns the system message and the first user message. */
  opening: (tools: OfferedTools, memories: readonly RecalledMemory[]) => { system: string; user: string };
  /** The agent's input as structured data, for model backends that do not read prose. */
  task: LlmTask;
  /** Author of the chat question that the agent answers. */
  askedBy?: string;
  /** Runs the agent; default: the loop of its strategy. */
  work?: (context: AgentContext) => Promise<AgentResult>;
}

export interface AgentOutcome extends WorkEnd {
  name: string;
  finalAnalysis: string | null;
}

/** An agent's tools and skills, as its opening messages describe them. */
export interface OfferedTools {
  hasTools: boolean;
  /** Maps each unreachable server to the reason. */
  unavailableServers: ReadonlyMap<string, string>;
  leftOutTools: readonly LeftOutTool[];
  skills: AgentSkills;
}

/** Everything that a running agent uses. */
export interface AgentContext extends SessionRun, AgentPlan {
  stageId: string;
  executionId: string;
  llm: LlmSettings;
  window: PromptWindow;
  tools: ToolExecutor;
  agentSkills: AgentSkills;
  subAgents: SubAgents;
  /** Names of providers from which the agent fell back, and which it does not try again while others can answer. */
  abandonedProviders: Set<string>;
  /** Returns the settings for summarizing long tool results of a server; `null` if these are kept whole. */
  summaryPlan: (serverName: string) => SummaryPlan | null;
  transcript: Transcript;
}

/** How an agent ended. An abort is thrown instead, as the signal's reason. */
export interface AgentResult {
  status: Extract<TerminalStatus, 'COMPLETED' | 'FAILED' | 'TIMED_OUT'>;
  finalAnalysis: string | null;
  errorMessage: string | null;
  /** Row changes stored in the same statement as the agent's end. */
  noted?: readonly RowChange[];
}

export interface SubAgent {
  /** Id of the sub-agent's execution. */
  readonly id: string;
  readonly name: string;
  readonly task: string;
  readonly status: TerminalStatus | 'ACTIVE';
  readonly finalAnalysis: string | null;
  readonly errorMessage: string | null;
}

export interface SubAgents {
  /** Returns the agent's sub-agents in the order of their dispatch. */
  all(): readonly SubAgent[];
  /** @throws the interruption of a sub-agent, if there was one: it also interrupts the agent that dispatched it */
  check(): void;
  /** Resolves when a running sub-agent ends; at once if none is running. */
  nextEnd(): Promise<void>;
}

export interface SummaryPlan {
  /** Results with more tokens are summarized. */
  sizeThresholdTokens: number;
  maxTokens: number;
  /** The models to try, in order. They are called without tools. */
  models: readonly ResolvedLlm[];
}

/** The services of this process that runs use. */
export interface RunDeps {
  db: Queryable;
  publisher: Pick<Publisher, 'publish'>;
  config: Config;
  client: LlmClient;
  availability: ProviderAvailability;
  masking: Masking;
  turnCipher: ProviderTurnCipher;
  connectTools(selection: McpSelection, signal: AbortSignal, logger: Logger): Promise<ToolExecutor>;
  runbooks: Pick<Runbooks, 'read'>;
  skills: Skills;
  observer: Observer;
  logger: Logger;
}

/** A claimed run of a session: its investigation, an answer or a score. */
export interface SessionRun extends RunDeps, ClaimedRun {
  /** `hasSource`: true if a monitoring system sent the alerts; its updates are then delivered to the agents. */
  session: AlertSessionRow & Partial<Pick<SessionWithAlert, 'hasSource' | 'isReplay'>>;
  chain: ChainConfig;
  chainPlan: ChainPlan;
  /** The alert and its runbook, as prompts show them. */
  alert: AlertPrompt;
  /** The alert and its runbook, as data for each agent's task. */
  subject: Pick<LlmTask, 'alert' | 'runbook'>;
  /** `null` if no budget applies. */
  budgets: RunBudgets | null;
  /** `null` if the session is no replay of a case. */
  replay: OpenReplay | null;
  /** Tools of ended agents, until their MCP servers have exited. */
  endingTools: Set<Promise<void>>;
}
