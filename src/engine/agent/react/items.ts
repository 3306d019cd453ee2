import type { TextItems } from '../model-call.ts';
import { parseReact } from '../react-parser.ts';
import type { OpenItem, Transcript } from '../transcript.ts';

/** The timeline items of a response in the ReAct format. */
export interface ReactItems extends TextItems {
  /** Ends the answer's item as the final analysis; what was not shown of it yet is added. */
  conclude(answer: string, metadata?: Record<string, unknown>): Promise<void>;
  /** The response turned out to be something else than its answer says: what was shown of it were thoughts. */
  withdrawAnswer(): Promise<void>;
}

/** The longest header with what may stand around its words (characters); as much is held back while a text arrives. */
const HELD = 48;
/** What may follow a header's colon: it is waited for (characters). */
const AFTER_HEADER = 4;
const header = (words: string) =>
  new RegExp(`[\\s#>*_\`]{0,20}(?:${words})[*_\`]{0,3}[ \\t]{0,4}(?:[:：]|\\n)[*_\`]{0,3}`, 'i');
const HEADERS = {
  thought: header('thought'),
  answer: header('final[ \\t_-]?answer'),
  /** The arguments of a call follow, which are not masked yet, or what the model invented. */
  nothing: new RegExp(`${header('action(?:[ \\t_-]?input)?|observation').source}|\\[Based on`, 'i'),
};
type Phase = 'before' | keyof typeof HEADERS;
const NEXT: Readonly<Record<Phase, readonly (keyof typeof HEADERS)[]>> = {
  before: ['thought', 'answer', 'nothing'],
  thought: ['answer', 'nothing'],
  answer: ['nothing'],
  nothing: [],
};
/** The model wrote it as text, as it was told to; what a provider tells apart by itself is `native`. */
const THOUGHT = { source: 'react' };
const INPUT = /action[ \t_-]?input/i;

/**
 * Shows a response while it arrives: the thought as LLM_THINKING, the final answer as LLM_RESPONSE, nothing from the first
 * word on that may begin a call. It is read properly when it is complete: then the items get what they lack.
 */
export function createReactItems(transcript: Pick<Transcript, 'openItem' | 'addEvent'>): ReactItems {
  const items: Partial<Record<Phase, { item: OpenItem; shown: string }>> = {};
  let phase: Phase = 'before';
  let whole = '';
  /** What is not shown yet. */
  let rest = '';

  const open = (of: 'thought' | 'answer') =>
    of === 'thought' ? transcript.openItem('LLM_THINKING', THOUGHT) : transcript.openItem('LLM_RESPONSE');

  async function show(text: string): Promise<void> {
    if (phase === 'before' || phase === 'nothing') return;
    const piece = items[phase] ? text : text.trimStart();
    if (piece === '') return;
    items[phase] ??= { item: await open(phase), shown: '' };
    items[phase]!.shown += piece;
    await items[phase]!.item.append(piece);
  }

  async function advance(isAll: boolean): Promise<void> {
    for (let next = nextHeader(phase, rest); next; next = nextHeader(phase, rest)) {
      await show(rest.slice(0, next.start).trimEnd());
      rest = rest.slice(next.start);
      const length = next.end - next.start;
      if (!isAll && rest.length < length + AFTER_HEADER) return;
      phase = next.phase;
      rest = rest.slice(length);
    }
    const certain = isAll ? rest.trimEnd() : rest.slice(0, -HELD);
    await show(certain);
    rest = phase === 'before' || phase === 'nothing' ? rest.slice(-HELD) : rest.slice(certain.length);
  }

  /** Adds what is lacking to an item whose text begins as it was shown. @returns whether it does */
  async function complete(of: 'thought' | 'answer', text: string): Promise<boolean> {
    const { item, shown } = items[of] ?? {};
    if (!item || shown === undefined || !text.startsWith(shown)) return false;
    if (text.length > shown.length) await item.append(text.slice(shown.length));
    return true;
  }

  async function withdrawAnswer(): Promise<void> {
    const metadata = { ...THOUGHT, withdrawn_answer: true };
    await items.answer?.item.close({ status: 'COMPLETED', type: 'LLM_THINKING', metadata });
  }

  return {
    async write(delta) {
      whole += delta;
      rest += delta;
      await advance(false);
    },
    async end() {
      await advance(true);
      const { thought, kind } = parseReact(whole);
      // What is malformed may hold arguments where no one looks for them.
      if (thought !== null && kind !== 'malformed' && !INPUT.test(thought))
        await complete('thought', thought);
      await items.thought?.item.close({ status: 'COMPLETED' });
    },
    async abandon(end) {
      await advance(true);
      await items.thought?.item.close(end);
      await items.answer?.item.close(end);
    },
    openItem: () => items.answer?.item ?? null,
    async conclude(answer, metadata) {
      const end = { type: 'FINAL_ANALYSIS', ...(metadata ? { metadata } : {}) } as const;
      if (await complete('answer', answer)) await items.answer?.item.close({ status: 'COMPLETED', ...end });
      else {
        await withdrawAnswer();
        await transcript.addEvent({ content: answer, ...end });
      }
    },
    withdrawAnswer,
  };
}

/** The first header behind which something else is shown than in this phase. */
function nextHeader(from: Phase, text: string): { phase: Phase; start: number; end: number } | null {
  const found = NEXT[from].flatMap((phase) => {
    const match = HEADERS[phase].exec(text);
    return match ? [{ phase, start: match.index, end: match.index + match[0].length }] : [];
  });
  return found.toSorted((a, b) => a.start - b.start)[0] ?? null;
}
