import type { TerminalStatus } from '../../db/enums.ts';
import type { LeftOutTool, ToolExecutor } from '../../mcp/types.ts';
import type { Change } from '../journal/step.ts';
import type { LlmSettings } from '../llm/client.ts';
import type { PromptWindow } from '../llm/window.ts';
import type { AgentPlan } from '../run/agent.ts';
import type { SessionRun } from '../run/run.ts';
import type { AgentSkills } from '../skills/skills.ts';
import type { SubAgents } from './sub-agents.ts';
import type { SummaryPlan } from './summarize.ts';
import type { Transcript } from './transcript.ts';

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
  leftProviders: Set<string>;
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
