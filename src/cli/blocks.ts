import { sanitize, sanitizeLine } from '../common/printable.ts';
import type { TimelineEntry } from './contract.ts';
import type { Style } from './style.ts';

/** Maximum lines shown of a tool's result, so that the output is short enough to follow the investigation. */
const RESULT_LINES = 8;
const RESULT_COLUMNS = 160;
const ARGUMENTS_LENGTH = 300;

/**
 * Labels of the entry types whose text is printed while it streams, as that of waits. Others are printed when complete.
 */
const LABELS: Readonly<Record<string, string>> = {
  LLM_THINKING: 'thinking',
  LLM_RESPONSE: 'answer',
  FINAL_ANALYSIS: 'Final analysis',
  EXECUTIVE_SUMMARY: 'Executive summary',
};

export function isStreamed(entry: TimelineEntry): boolean {
  return entry.type in LABELS || isModelWait(entry);
}

/** True if an entry reports a wait for an unavailable model, which its text explains while the wait lasts. */
function isModelWait({ type, metadata }: TimelineEntry): boolean {
  return type === 'ERROR' && (metadata?.outage === true || metadata?.waiting === true);
}

/** Returns the line above a streamed text. @param agent `null` if only one agent works */
export function heading(entry: TimelineEntry, agent: string | null, style: Style): string {
  const label = isModelWait(entry)
    ? 'waiting for the model'
    : (LABELS[entry.type] ?? sanitizeLine(entry.type));
  const suffix = agent === null ? '' : ` · ${sanitizeLine(agent)}`;
  const isResult = entry.type === 'FINAL_ANALYSIS' || entry.type === 'EXECUTIVE_SUMMARY';
  return isResult ? style.bold(`── ${label}${suffix}`) : style.dim(`${label}${suffix}`);
}

export function styleChunk(entry: TimelineEntry, text: string, style: Style): string {
  return entry.type === 'LLM_THINKING' ? style.dim(text) : text;
}

/** Returns the line that announces an entry whose content follows only when the entry is complete. */
export function announcementLine(entry: TimelineEntry, agent: string | null, style: Style): string {
  const suffix = agent === null ? '' : style.dim(` · ${sanitizeLine(agent)}`);
  if (entry.type !== 'LLM_TOOL_CALL') {
    return `${style.cyan(sanitizeLine(entry.type).toLowerCase().replaceAll('_', ' '))}${suffix}`;
  }
  return `${style.cyan(`→ ${toolName(entry)}`)} ${toolArguments(entry)}${suffix}`.trimEnd();
}

export function contentPreview(entry: TimelineEntry, style: Style): string {
  const failed = entry.status !== 'COMPLETED' || entry.metadata?.is_error === true || entry.type === 'ERROR';
  const lines = sanitize(entry.content).trimEnd().split('\n');
  const shown = lines.slice(0, RESULT_LINES).map((line) => `  ${truncate(line, RESULT_COLUMNS)}`);
  if (lines.length > RESULT_LINES) shown.push(`  … ${lines.length - RESULT_LINES} more lines`);
  const text = shown.join('\n').trimEnd();
  const state =
    entry.status === 'COMPLETED' ? '' : `  ${style.red(sanitizeLine(entry.status).toLowerCase())}\n`;
  return `${state}${failed ? style.red(text) : style.dim(text)}`;
}

function toolName({ metadata }: TimelineEntry): string {
  const server = metadata?.server_name;
  const tool = metadata?.tool_name;
  const name = typeof tool === 'string' ? tool : 'tool';
  const prefix = typeof server === 'string' && !name.startsWith(`${server}.`) ? `${server}.` : '';
  return sanitizeLine(`${prefix}${name}`);
}

function toolArguments({ metadata }: TimelineEntry): string {
  const args = metadata?.arguments;
  if (args === undefined || args === null) return '';
  return truncate(sanitizeLine(typeof args === 'string' ? args : JSON.stringify(args)), ARGUMENTS_LENGTH);
}

function truncate(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}
