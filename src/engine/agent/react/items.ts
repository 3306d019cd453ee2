import type { TextItems } from '../model-call.ts';
import type { OpenItem, Transcript } from '../transcript.ts';
import { createScanner } from './scanner.ts';
import type { ShownText } from './sections.ts';

/** The timeline items of a response in the ReAct format. */
export interface ReactItems extends TextItems {
  /** The response turned out to be something else than its answer says: what was shown of it were thoughts. */
  withdrawAnswer(): Promise<void>;
}

/**
 * Shows a response while it arrives: thoughts as LLM_THINKING, the final answer as FINAL_ANALYSIS; headers, actions
 * and their input are not shown as text. The answer's item stays open: an action that follows takes precedence.
 */
export function createReactItems(transcript: Transcript): ReactItems {
  const scanner = createScanner();
  let thought: OpenItem | null = null;
  let answer: OpenItem | null = null;

  async function show(texts: readonly ShownText[]): Promise<void> {
    for (const { section, text, isEnd } of texts) {
      if (section === 'final') {
        if (text === '') continue;
        answer ??= await transcript.openItem('FINAL_ANALYSIS');
        await answer.append(text);
        continue;
      }
      if (text !== '') {
        thought ??= await transcript.openItem('LLM_THINKING');
        await thought.append(text);
      }
      if (!isEnd) continue;
      await thought?.close({ status: 'COMPLETED' });
      thought = null;
    }
  }

  return {
    write: (delta) => show(scanner.push(delta)),
    end: () => show(scanner.end()),
    async abandon(end) {
      await thought?.close(end);
      await answer?.close(end);
      thought = answer = null;
    },
    openItem: () => answer,
    async withdrawAnswer() {
      await answer?.close({
        status: 'COMPLETED',
        type: 'LLM_THINKING',
        metadata: { withdrawn_answer: true },
      });
      answer = null;
    },
  };
}
