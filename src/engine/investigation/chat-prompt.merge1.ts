import { untrusted } from '../prompt-text/untrusted.ts';
import {
  type AgentPrompt,
  type AlertPrompt,
  agentSystemPrompt,
  alertSections,
} from '../run-context/investigation-prompt.ts';

/** What the prompt of a follow-up question is made of. */
export interface ChatPrompt extends AlertPrompt, AgentPrompt {
  /** The investigation and earlier questions with their answers, oldest first. */
  history: readonly { title: string; text: string }[];
  question: string;
}

const CHAT_INSTRUCTIONS = `## Your task

An engineer asks a follow-up question about an investigation that has ended.

- Answer the question first, in one or two sentences, then what it rests on.
- Use what the investigation found; say when you do, because it may be out of date.
- Call tools when the question needs newer or other facts. Do not repeat the whole investigation.
- If neither the investigation nor the tools can answer it, say so.`;

export function chatSystemPrompt(prompt: ChatPrompt): string {
  return agentSystemPrompt(prompt, CHAT_INSTRUCTIONS);
}

export function chatUserPrompt(prompt: ChatPrompt): string {
  const history = prompt.history.map(({ title, text }) => `### ${title}\n\n${untrusted('HISTORY', text)}`);
  return [
    ...alertSections(prompt),
    `## The investigation so far\n\n${history.join('\n\n') || '(nothing was found)'}`,
    `## The question\n\n${untrusted('QUESTION', prompt.question)}${prompt.hasTools ? '' : '\n\nYou have no tools.'}`,
  ].join('\n\n');
}
