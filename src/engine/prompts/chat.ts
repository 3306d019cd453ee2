import { GENERAL_INSTRUCTIONS } from './instructions.ts';
import { alertSections, toolSections } from './investigation.ts';
import type { LeftOut } from './left-out-tools.ts';
import { untrusted } from './untrusted.ts';

/** What the prompt of a follow-up question is made of. */
export interface ChatPrompt {
  agentName: string;
  alertType: string;
  alertData: string;
  runbook: string | null;
  runbookUrl: string | null;
  runbookProblem: string | null;
  /** The investigation and earlier questions with their answers, oldest first. */
  history: readonly { title: string; text: string }[];
  question: string;
  mcpServers: readonly { id: string; instructions: string }[];
  unavailableServers: ReadonlyMap<string, string>;
  /** Tools that are there and not offered. */
  leftOutTools: readonly LeftOut[];
  customInstructions: string;
  hasTools: boolean;
  now: Date;
}

const CHAT_INSTRUCTIONS = `## Your task

An engineer asks a follow-up question about an investigation that has ended.

- Answer the question first, in one or two sentences, then what it rests on.
- Use what the investigation found; say when you do, because it may be out of date.
- Call tools when the question needs newer or other facts. Do not repeat the whole investigation.
- If neither the investigation nor the tools can answer it, say so.`;

export function chatSystemPrompt(prompt: ChatPrompt): string {
  return [
    `Time now: ${prompt.now.toISOString().slice(0, 16)}Z. You are the agent ${prompt.agentName}.`,
    GENERAL_INSTRUCTIONS,
    ...toolSections(prompt),
    CHAT_INSTRUCTIONS,
  ].join('\n\n');
}

export function chatUserPrompt(prompt: ChatPrompt): string {
  const history = prompt.history.map(({ title, text }) => `### ${title}\n\n${untrusted('HISTORY', text)}`);
  return [
    ...alertSections(prompt),
    `## The investigation so far\n\n${history.join('\n\n') || '(nothing was found)'}`,
    `## The question\n\n${untrusted('QUESTION', prompt.question)}${prompt.hasTools ? '' : '\n\nYou have no tools.'}`,
  ].join('\n\n');
}
