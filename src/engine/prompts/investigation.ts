import {
  ANALYSIS_TASK,
  ANALYSIS_TASK_WITHOUT_TOOLS,
  GENERAL_INSTRUCTIONS,
  TASK_FOCUS,
} from './instructions.ts';
import { untrusted } from './untrusted.ts';

/** What a prompt of an investigation is made of. */
export interface InvestigationPrompt {
  agentName: string;
  alertType: string;
  alertData: string;
  /** Content of the runbook; null = none. */
  runbook: string | null;
  /** Address of the runbook that the alert's sender named; null = none. */
  runbookUrl: string | null;
  /** Results of the stages before this one, oldest first. */
  previousStages: readonly { name: string; finalAnalysis: string }[];
  /** Servers whose tools are there, with what their operator wrote about their use. */
  mcpServers: readonly { id: string; instructions: string }[];
  /** Servers that could not be reached → why. */
  unavailableServers: ReadonlyMap<string, string>;
  customInstructions: string;
  hasTools: boolean;
  now: Date;
}

/** The system's message: general tier → one section per MCP server → the agent's own tier. */
export function investigationSystemPrompt(prompt: InvestigationPrompt): string {
  const sections = [
    `Time now: ${prompt.now.toISOString().slice(0, 16)}Z. You are the agent ${prompt.agentName}.`,
    GENERAL_INSTRUCTIONS,
    ...prompt.mcpServers
      .filter(({ instructions }) => instructions.trim() !== '')
      .map(({ id, instructions }) => `## Tools of ${id}\n\n${instructions.trim()}`),
    unavailableSection(prompt.unavailableServers),
    prompt.customInstructions.trim() === ''
      ? ''
      : `## Instructions for this agent\n\n${prompt.customInstructions.trim()}`,
    TASK_FOCUS,
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

function unavailableSection(servers: ReadonlyMap<string, string>): string {
  if (servers.size === 0) return '';
  const lines = [...servers].map(([id, reason]) => `- ${id}: ${reason}`);
  return `## Tools that are missing\n\nThese servers could not be reached; their tools are not there. Name this as a gap in the analysis.\n\n${lines.join('\n')}`;
}

/** The user's message: alert → runbook → earlier stages → task. */
export function investigationUserPrompt(prompt: InvestigationPrompt): string {
  const sections = [
    `## The alert\n\nType: ${prompt.alertType}\n\n${untrusted('ALERT DATA', prompt.alertData)}`,
    prompt.runbookUrl === null
      ? ''
      : `The sender names a runbook at ${prompt.runbookUrl}; point the reader to it.`,
    prompt.runbook === null
      ? ''
      : `## Runbook\n\nWhat the team wrote for this kind of alert. Follow its checks where they fit.\n\n${untrusted('RUNBOOK', prompt.runbook)}`,
    previousStagesSection(prompt.previousStages),
    prompt.hasTools ? ANALYSIS_TASK : ANALYSIS_TASK_WITHOUT_TOOLS,
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

function previousStagesSection(stages: InvestigationPrompt['previousStages']): string {
  if (stages.length === 0) return '';
  const parts = stages.map(
    ({ name, finalAnalysis }) => `### ${name}\n\n${untrusted('PREVIOUS ANALYSIS', finalAnalysis)}`,
  );
  return `## What earlier stages found\n\nBuild on it, and check what it rests on where that matters.\n\n${parts.join('\n\n')}`;
}
