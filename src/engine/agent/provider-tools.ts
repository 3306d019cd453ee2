import type { LlmResponse } from '../model/collect-stream.ts';
import type { NewTimelineEvent } from '../store/timeline.ts';

type CodeExecution = LlmResponse['codeExecutions'][number];
type Grounding = LlmResponse['groundings'][number];
type NativeEvent = Omit<NewTimelineEvent, 'status'>;

/** Returns the timeline item for code that the provider executed, with its output. */
export function codeExecutionEvent({ code, result }: CodeExecution): NativeEvent {
  const parts = [code && fenced('python', code), result && `Output:\n${fenced('', result)}`];
  const content = parts.filter((part) => part !== '').join('\n\n');
  return { type: 'CODE_EXECUTION', content, metadata: { source: 'gemini' } };
}

/** Returns the timeline item for the sources of an answer: a web search or fetched pages. `null` without sources. */
export function groundingEvent({ searchQueries, sources, supports }: Grounding): NativeEvent | null {
  if (sources.length === 0) return null;
  const listed = sources.map(({ title, uri }) => (title === '' ? uri : `${title} (${uri})`)).join(', ');
  const metadata = { source: 'gemini', sources, ...(supports.length > 0 ? { supports } : {}) };
  if (searchQueries.length === 0)
    return { type: 'URL_CONTEXT_RESULT', content: `URL Context → Sources: ${listed}`, metadata };
  const queries = searchQueries.map((query) => `'${query}'`).join(', ');
  return {
    type: 'GOOGLE_SEARCH_RESULT',
    content: `Google Search: ${queries} → Sources: ${listed}`,
    metadata: { ...metadata, queries: searchQueries },
  };
}

/** Returns a Markdown code block with a fence longer than any in the text. */
function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
