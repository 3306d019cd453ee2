import type { TimelineEventRow } from '../../db/entities/index.ts';
import { neutralizeCitations } from './untrusted.ts';

/** Headings in the history by type of timeline event. Types without one are left out, except tool calls. */
const HEADINGS: Partial<Record<TimelineEventRow['type'], string>> = {
  LLM_THINKING: 'Thought',
  LLM_RESPONSE: 'Response',
  FINAL_ANALYSIS: 'Final analysis',
  EXECUTIVE_SUMMARY: 'Executive summary',
  ERROR: 'Error',
  USER_QUESTION: 'Question',
  CODE_EXECUTION: 'Code execution',
  GOOGLE_SEARCH_RESULT: 'Web search',
  URL_CONTEXT_RESULT: 'Web pages',
  SUBAGENT_TASK: 'Task',
  ALERT_JOINED: 'Alerts joined',
  ALERT_RESOLVED: 'Alerts over',
  HINT: 'Hint of a responder',
  CONCLUSION_REQUESTED: 'Conclusion requested',
};

type Item = Pick<TimelineEventRow, 'sequenceNumber' | 'type' | 'status' | 'content' | 'metadata'>;

/**
 * Returns a timeline as text for a model. A summarized tool result appears as its summary. Interrupted events are left
 * out, because the resumed run repeated them; interrupted tool calls stay.
 */
export function formatHistory(items: readonly Item[]): string {
  const summaries = summariesByCall(items);
  const parts: string[] = [];
  for (const item of items) {
    if (item.metadata?.interrupted === true && item.type !== 'LLM_TOOL_CALL') continue;
    if (item.metadata?.outage === true) continue; // an outage of the provider is not a finding
    if (item.type === 'LLM_TOOL_CALL') parts.push(formatToolCall(item, summaries.get(item)));
    else if (HEADINGS[item.type] !== undefined && item.content.trim() !== '')
      parts.push(`**${HEADINGS[item.type]}**\n\n${said(item)}`);
  }
  return parts.join('\n\n');
}

/** Returns the text of an item. Citation numbers in a hint are disabled, because a hint is not evidence. */
function said({ type, content }: Item): string {
  return type === 'HINT' ? neutralizeCitations(content.trim()) : content.trim();
}

/** Maps tool calls to their results' summaries. Call ids may repeat: a summary belongs to the last call before it. */
function summariesByCall(items: readonly Item[]): Map<Item, Item> {
  const calls = new Map<unknown, Item>();
  const summaries = new Map<Item, Item>();
  for (const item of items) {
    const id = item.metadata?.tool_call_id;
    if (item.type === 'LLM_TOOL_CALL') calls.set(id, item);
    const call = calls.get(id);
    if (item.type === 'MCP_TOOL_SUMMARY' && item.status === 'COMPLETED' && call) summaries.set(call, item);
  }
  return summaries;
}

function formatToolCall(item: Item, summary: Item | undefined): string {
  const { server_name: server, tool_name: tool, arguments: args } = item.metadata ?? {};
  const failed = item.status === 'COMPLETED' ? '' : ` (${item.status.toLowerCase()})`;
  const asked = neutralizeCitations(`${String(server)}.${String(tool)} ${String(args ?? '{}')}`);
  const heading = `**Tool call**: [T${item.sequenceNumber}] ${asked}${failed}`;
  if (summary) return `${heading}\n\nResult, summarized:\n${neutralizeCitations(summary.content.trim())}`;
  return `${heading}\n\nResult:\n${neutralizeCitations(item.content.trim()) || '(nothing)'}`;
}

const RESULT = /\n\nResult(?:, summarized)?:\n/g;
const NEXT_ITEM = /\n\n\*\*(?:Tool call\*\*: |[A-Z][a-z ]{3,30}\*\*\n\n)/g;

/** Returns the likely positions of tool results in a formatted history. Not exact: results may contain any text. */
export function findHistoryResults(history: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  RESULT.lastIndex = 0;
  while (RESULT.test(history)) {
    const start = RESULT.lastIndex;
    NEXT_ITEM.lastIndex = start;
    const end = NEXT_ITEM.exec(history)?.index ?? history.length;
    found.push({ start, end });
    RESULT.lastIndex = end;
  }
  return found;
}
