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
import type { RecalledMemory } from '../features/memory/recall.ts';
import type { AgentSkills, Skills } from '../features/skills/skills.ts';
import type { Announcer } from '../live/announcer.ts';
import type { Circuits, LlmOutages } from '../model/availability/provider-availability.ts';
import type { LlmClient, LlmSettings } from '../model/client.ts';
import type { PromptWindow } from '../model/context-window/window.ts';
import type { TurnBox } from '../model/provider-turn-cipher.ts';
import type { LlmTask } from '../model/task.ts';
import type { Change } from '../store/event-statement.ts';
import type { ClaimedRun } from '../store/lease.ts';
import type { WholeSession } from '../store/sessions.ts';
import type { ChainPlan } from './chain-plan.ts';
import type { AlertPrompt } from './investigation-prompt.ts';
import type { Transcript } from './transcript.ts';

/** What an agent is to do in a stage, whatever the stage is for. */
export interface AgentPlan {
  /** Name shown: that of the configuration, numbered for replicas. */
  name: string;
  resolved: ResolvedAgent;
  /** What the calls of the model are for, as the trace names them. */
  interactionType: Extract<LlmInteractionType, 'ITERATION' | 'SYNTHESIS' | 'CHAT_RESPONSE' | 'REPORT'>;
  selection: McpSelection;
  /** Memories that go with its first messages; left out: none. */
  recall?: (() => Promise<RecalledMemory[]>) | undefined;
  /** The first two messages; the loop says what there is of tools. */
  opening: (tools: OfferedTools, memories: readonly RecalledMemory[]) => { system: string; user: string };
  /** What it is about, as data. */
  task: LlmTask;
  /** Whose question it answers. */
  askedBy?: string;
  /** How it works; default: by its strategy. */
  work?: (context: AgentContext) => Promise<AgentResult>;
}

export interface AgentOutcome {
  name: string;
  status: AgentResult['status'] | 'CANCELLED';
  finalAnalysis: string | null;
  errorMessage: string | null;
}

/** Tools as the opening messages need to know them. */
export interface OfferedTools {
  hasTools: boolean;
  /** Servers that could not be reached → why. */
  unavailableServers: ReadonlyMap<string, string>;
  /** Tools that are there and not offered. */
  leftOutTools: readonly LeftOutTool[];
  skills: AgentSkills;
}

/** All that an agent works with. */
export interface AgentContext extends SessionRun, AgentPlan {
  stageId: string;
  executionId: string;
  llm: LlmSettings;
  /** Of the model that `llm` names. */
  window: PromptWindow;
  tools: ToolExecutor;
  agentSkills: AgentSkills;
  subAgents: SubAgents;
  /** How long results of a server are summarized; null = they are not. */
  /** Names of the providers that could not be had: it does not go back to them. */
  abandonedProviders: Set<string>;
  summaryPlan: (serverName: string) => SummaryPlan | null;
  transcript: Transcript;
}

/** How an agent's work ended. An abort is thrown instead, as the signal's reason. */
export interface AgentResult {
  status: Extract<TerminalStatus, 'COMPLETED' | 'FAILED' | 'TIMED_OUT'>;
  finalAnalysis: string | null;
  errorMessage: string | null;
  /** Stored with its end, or not at all. */
  written?: readonly Change[];
}

/** An agent that works on a task of another one. */
export interface SubAgent {
  /** Of its execution. */
  readonly id: string;
  readonly name: string;
  readonly task: string;
  readonly status: TerminalStatus | 'ACTIVE';
  readonly finalAnalysis: string | null;
  readonly errorMessage: string | null;
}

/** The sub-agents of one agent's work. */
export interface SubAgents {
  /** In the order in which they got their tasks. */
  all(): readonly SubAgent[];
  /** @throws BreakOffError where one of them broke off: then so does all of it */
  check(): void;
  /** Until one of those at work has ended; at once when none is. */
  nextEnd(): Promise<void>;
}

/** How long results of one server are summarized. */
export interface SummaryPlan {
  /** Results above this estimate are. */
  sizeThresholdTokens: number;
  /** Longest summary. */
  maxTokens: number;
  /** Who does it, without tools of its own, and who takes over. */
  models: readonly ResolvedLlm[];
}

/** What runs work with. */
export interface RunDeps {
  db: Queryable;
  announcer: Pick<Announcer, 'announce'>;
  config: Config;
  client: LlmClient;
  /** Of this process. */
  outages: LlmOutages;
  circuits: Circuits;
  masking: Masking;
  turns: TurnBox;
  /** Connects to MCP servers for one agent's work. */
  connectTools(selection: McpSelection, signal: AbortSignal, logger: Logger): Promise<ToolExecutor>;
  runbooks: Pick<Runbooks, 'read'>;
  skills: Skills;
  observer: Observer;
  logger: Logger;
}

/** The run of a session's investigation, or of an answer about it, while it is held. */
export interface SessionRun extends RunDeps, ClaimedRun {
  /** `hasSource`: its agents shall be told what the source of its alerts tells meanwhile. */
  session: AlertSessionRow & Partial<Pick<WholeSession, 'hasSource'>>;
  chain: ChainConfig;
  chainPlan: ChainPlan;
  runbook: SessionRunbook;
  /** The alert and its runbook, as prompts show them. */
  alert: AlertPrompt;
  /** The alert and its runbook, as data for each agent's task. */
  subject: Pick<LlmTask, 'alert' | 'runbook'>;
  /** Null: none holds. */
  budgets: RunBudgets | null;
}

/** The runbook that every agent of a session is given. */
export interface SessionRunbook {
  /** null = none. */
  content: string | null;
  /** Why the one that the alert's sender named could not be had; null = it was, or none was named. */
  problem: string | null;
}
