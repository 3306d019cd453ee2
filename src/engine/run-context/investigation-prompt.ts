import type { SystemConfig } from '../../config/types.ts';
import type { LeftOutTool } from '../../mcp/types.ts';
import { memoriesSection } from '../features/memory/prompts.ts';
import type { RecalledMemory } from '../features/memory/recall.ts';
import { type AgentSkills, skillSections } from '../features/skills/skills.ts';
import {
  ANALYSIS_TASK,
  ANALYSIS_TASK_WITHOUT_TOOLS,
  GENERAL_INSTRUCTIONS,
  TASK_FOCUS,
} from '../prompt-text/instructions.ts';
import { encloseUntrusted, encloseUntrustedLines } from '../prompt-text/untrusted.ts';

/** The alert and its runbook, for every prompt about it. */
export interface AlertPrompt {
  alertType: string;
  alertData: string;
  /** Content of the runbook; `null` if there is none. */
  runbook: string | null;
  /** Address of the runbook that the sender named; `null` if none. */
  runbookUrl: string | null;
  /** Why that runbook could not be read; `null` if it was read or none was named. */
  runbookProblem: string | null;
}

/** The agent and its tools, for the system prompt. */
export interface AgentPrompt {
  agentName: string;
  /** Connected servers with the operator's instructions for their use. */
  mcpServers: readonly { id: string; instructions: string }[];
  /** Reasons by unreachable server. */
  unavailableServers: ReadonlyMap<string, string>;
  /** Existing tools that the model is not offered. */
  leftOutTools: readonly OmittedTool[];
  customInstructions: string;
  hasTools: boolean;
  skills?: AgentSkills;
  now: Date;
  calendar: Calendar;
}

export interface InvestigationPrompt extends AlertPrompt, AgentPrompt {
  /** Results of the stages before this one, oldest first. */
  previousStages: readonly { name: string; finalAnalysis: string }[];
  /** Memories of past investigations. */
  memories?: readonly RecalledMemory[];
}

export function investigationSystemPrompt(prompt: AgentPrompt): string {
  return agentSystemPrompt(prompt, TASK_FOCUS);
}

/**
 * Returns the system message: general instructions, one section per MCP server, the agent's own instructions, its task.
 * The time comes last because providers cache prompts by their unchanged beginning.
 */
export function agentSystemPrompt(prompt: AgentPrompt, task: string): string {
  return [
    GENERAL_INSTRUCTIONS,
    ...toolSections(prompt),
    task,
    '## Now',
    `Time now: ${prompt.now.toISOString().slice(0, 16)}Z. You are the agent ${prompt.agentName}.`,
    calendarLine(prompt.now, prompt.calendar),
  ].join('\n\n');
}

/** Second and third tier: what operators wrote about their servers, which servers are missing, the agent's own. */
function toolSections(prompt: AgentPrompt): string[] {
  const sections = prompt.mcpServers
    .filter(({ instructions }) => instructions.trim() !== '')
    .map(({ id, instructions }) => `## Tools of ${id}\n\n${instructions.trim()}`);
  if (prompt.unavailableServers.size > 0) {
    const lines = [...prompt.unavailableServers].map(([id, reason]) => `- ${id}: ${reason}`);
    const said = encloseUntrustedLines('SERVER ERRORS', lines);
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

/** Returns the user message: alert → runbook → memories → earlier stages → task. */
export function investigationUserPrompt(prompt: InvestigationPrompt): string {
  return [
    ...alertSections(prompt),
    ...memoriesSection(prompt.memories ?? []),
    ...previousStagesSection(prompt.previousStages),
    prompt.hasTools ? ANALYSIS_TASK : ANALYSIS_TASK_WITHOUT_TOOLS,
  ].join('\n\n');
}

/** Returns the sections about the alert and its runbook. */
export function alertSections(prompt: AlertPrompt): string[] {
  const { alertType, alertData, runbook, runbookUrl, runbookProblem } = prompt;
  const sections = [`## The alert\n\nType: ${alertType}\n\n${encloseUntrusted('ALERT DATA', alertData)}`];
  if (runbookUrl !== null) {
    sections.push(`The sender names a runbook at ${runbookUrl}; point the reader to it.`);
  }
  if (runbookProblem !== null) {
    const instead = runbook === null ? 'Work without it' : 'The general one stands in for it below';
    sections.push(
      `That runbook could not be read. ${instead}, and name this as a gap.\n\n${encloseUntrustedLines('RUNBOOK ERROR', [runbookProblem])}`,
    );
  }
  if (runbook !== null) {
    sections.push(
      `## Runbook\n\nWhat the team wrote for this kind of alert. Follow its checks where they fit.\n\n${encloseUntrusted('RUNBOOK', runbook)}`,
    );
  }
  return sections;
}

function previousStagesSection(stages: InvestigationPrompt['previousStages']): string[] {
  if (stages.length === 0) return [];
  const parts = stages.map(
    ({ name, finalAnalysis }) => `### ${name}\n\n${encloseUntrusted('PREVIOUS ANALYSIS', finalAnalysis)}`,
  );
  return [
    `## What earlier stages found\n\nBuild on it, and check what it rests on where that matters.\n\n${parts.join('\n\n')}`,
  ];
}

/** A tool that the model is not offered. */
type OmittedTool = Pick<LeftOutTool, 'server' | 'tool' | 'kind'>;

/** The configured time zone, weekend and holidays. */
export type Calendar = SystemConfig['calendar'];

/**
 * Returns the line about the operators' local time and whether they work: a holiday takes precedence over a weekend. The
 * prompt also has the time in UTC, because logs use it.
 */
export function calendarLine(now: Date, { timeZone, weekend, holidays }: Calendar): string {
  const { weekday = '', year, month, day, hour, minute } = partsOf(clockOf(timeZone), now);
  const time = `${hour}:${minute}`;
  const date = `${Number(day)} ${MONTHS[Number(month) - 1]} ${year}`;
  const dates = [`${month}-${day}`, `${year}-${month}-${day}`];
  const holiday = holidays.find((entry) => dates.includes(entry.split(' ', 1)[0]!));
  const name = holiday?.slice(holiday.indexOf(' ') + 1);
  const kind =
    holiday !== undefined
      ? `a public holiday${holiday.includes(' ') ? ` (${name})` : ''}`
      : weekend.some((each) => each === weekday.toLowerCase())
        ? 'a weekend'
        : null;
  const when = `Where the operators are (${timeZone}), it is ${weekday}, ${date}, ${time}`;
  return kind === null
    ? `${when}: a working day.`
    : `${when}: ${kind}. Fewer people and other traffic than on working days are usual; say so where it matters for what you conclude.`;
}

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];

/** Cached by time zone, because creating a format is slow. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timeZone: string): Intl.DateTimeFormat {
  let clock = clocks.get(timeZone);
  if (clock === undefined) {
    const date = { weekday: 'long', day: '2-digit', month: '2-digit', year: 'numeric' } as const;
    const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    clock = new Intl.DateTimeFormat('en-GB', { timeZone, ...date, ...time });
    clocks.set(timeZone, clock);
  }
  return clock;
}

function partsOf(
  format: Intl.DateTimeFormat,
  at: Date,
): Partial<Record<Intl.DateTimeFormatPartTypes, string>> {
  return Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
}

/** Maximum number of withheld tools listed: enough to recommend one. */
const MAX_NAMES = 60;

/** Returns the sections about tools that the model is not offered; empty if there are none. */
function leftOutSections(leftOut: readonly OmittedTool[]): string[] {
  return [
    ...withheldSection(leftOut.filter(({ kind }) => kind === 'withheld')),
    ...findableSection(leftOut.filter(({ kind }) => kind === 'findable')),
  ];
}

function findableSection(findable: readonly OmittedTool[]): string[] {
  if (findable.length === 0) return [];
  const counts = [...Map.groupBy(findable, ({ server }) => server)].map(
    ([server, tools]) => `${server} (${tools.length})`,
  );
  return [
    `## More tools\n\nYour list has only the tools that seem to fit. Others are found with find_tools, of these servers: ${counts.join(', ')}. Look there before you name something as impossible to find out.`,
  ];
}

function withheldSection(withheld: readonly OmittedTool[]): string[] {
  if (withheld.length === 0) return [];
  const names = withheld.slice(0, MAX_NAMES).map(({ server, tool }) => `- ${server}.${tool}`);
  const more = withheld.length > MAX_NAMES ? `\n\n… and ${withheld.length - MAX_NAMES} more` : '';
  return [
    `## Tools that are withheld\n\nThese may change something, so they are not yours to call. Recommend to people what should be done instead.\n\n${encloseUntrustedLines('TOOL LIST', names)}${more}`,
  ];
}
