import { memoriesSection } from '../features/memory/prompts.ts';
import type { RecalledMemory } from '../features/memory/recall.ts';
import type { AgentSkills } from '../features/skills/skills.ts';
import { skillSections } from '../features/skills/tool.merge1.ts';
import {
  ANALYSIS_TASK,
  ANALYSIS_TASK_WITHOUT_TOOLS,
  GENERAL_INSTRUCTIONS,
  TASK_FOCUS,
} from '../prompt-text/instructions.ts';
import { untrusted, untrustedLines } from '../prompt-text/untrusted.ts';
import { type Calendar, calendarLine } from './investigation-prompt.merge1.ts';
import { type LeftOut, leftOutSections } from './investigation-prompt.merge2.ts';

/** The alert and what belongs to it, in every prompt about it. */
export interface AlertPrompt {
  alertType: string;
  alertData: string;
  /** Content of the runbook; null = none. */
  runbook: string | null;
  /** Address of the runbook that the alert's sender named; null = none. */
  runbookUrl: string | null;
  /** Why the text behind that address could not be had; null = it was, or none was named. */
  runbookProblem: string | null;
}

/** What a prompt says of tools and of the agent itself. */
export interface AgentPrompt {
  agentName: string;
  /** Servers whose tools are there, with what their operator wrote about their use. */
  mcpServers: readonly { id: string; instructions: string }[];
  /** Servers that could not be reached → why. */
  unavailableServers: ReadonlyMap<string, string>;
  /** Tools that are there and not offered. */
  leftOutTools: readonly LeftOut[];
  customInstructions: string;
  hasTools: boolean;
  skills?: AgentSkills;
  now: Date;
  calendar: Calendar;
}

export interface InvestigationPrompt extends AlertPrompt, AgentPrompt {
  /** Results of the stages before this one, oldest first. */
  previousStages: readonly { name: string; finalAnalysis: string }[];
  /** What past investigations taught. */
  memories?: readonly RecalledMemory[];
}

export function investigationSystemPrompt(prompt: AgentPrompt): string {
  return agentSystemPrompt(prompt, TASK_FOCUS);
}

/** The system's message: general tier → one section per MCP server → the agent's own tier → what it is to do. */
export function agentSystemPrompt(prompt: AgentPrompt, task: string): string {
  return [
    `Time now: ${prompt.now.toISOString().slice(0, 16)}Z. You are the agent ${prompt.agentName}.`,
    calendarLine(prompt.now, prompt.calendar),
    GENERAL_INSTRUCTIONS,
    ...toolSections(prompt),
    task,
  ].join('\n\n');
}

/** Second and third tier: what operators wrote about their servers, which servers are missing, the agent's own. */
function toolSections(prompt: AgentPrompt): string[] {
  const sections = prompt.mcpServers
    .filter(({ instructions }) => instructions.trim() !== '')
    .map(({ id, instructions }) => `## Tools of ${id}\n\n${instructions.trim()}`);
  if (prompt.unavailableServers.size > 0) {
    const lines = [...prompt.unavailableServers].map(([id, reason]) => `- ${id}: ${reason}`);
    const said = untrustedLines('SERVER ERRORS', lines);
    sections.push(
      `## Tools that are missing\n\nThese servers could not be reached; their tools are not there. Name this as a gap.\n\n${said}`,
    );
  }
  sections.push(...leftOutSections(prompt.leftOutTools));
  if (prompt.skills) sections.push(...skillSections(prompt.skills));
  const custom = prompt.customInstructions.trim();
  if (custom !== '') sections.push(`## Instructions for this agent\n\n${custom}`);
  return sections;
}

/** The user's message: alert → runbook → earlier stages → task. */
export function investigationUserPrompt(prompt: InvestigationPrompt): string {
  return [
    ...alertSections(prompt),
    ...memoriesSection(prompt.memories ?? []),
    ...previousStagesSection(prompt.previousStages),
    prompt.hasTools ? ANALYSIS_TASK : ANALYSIS_TASK_WITHOUT_TOOLS,
  ].join('\n\n');
}

/** The alert and its runbook. */
export function alertSections(prompt: AlertPrompt): string[] {
  const { alertType, alertData, runbook, runbookUrl, runbookProblem } = prompt;
  const sections = [`## The alert\n\nType: ${alertType}\n\n${untrusted('ALERT DATA', alertData)}`];
  if (runbookUrl !== null) {
    sections.push(`The sender names a runbook at ${runbookUrl}; point the reader to it.`);
  }
  if (runbookProblem !== null) {
    const instead = runbook === null ? 'Work without it' : 'The general one stands in for it below';
    sections.push(
      `That runbook could not be read. ${instead}, and name this as a gap.\n\n${untrustedLines('RUNBOOK ERROR', [runbookProblem])}`,
    );
  }
  if (runbook !== null) {
    sections.push(
      `## Runbook\n\nWhat the team wrote for this kind of alert. Follow its checks where they fit.\n\n${untrusted('RUNBOOK', runbook)}`,
    );
  }
  return sections;
}

function previousStagesSection(stages: InvestigationPrompt['previousStages']): string[] {
  if (stages.length === 0) return [];
  const parts = stages.map(
    ({ name, finalAnalysis }) => `### ${name}\n\n${untrusted('PREVIOUS ANALYSIS', finalAnalysis)}`,
  );
  return [
    `## What earlier stages found\n\nBuild on it, and check what it rests on where that matters.\n\n${parts.join('\n\n')}`,
  ];
}
