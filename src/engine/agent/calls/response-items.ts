import type { LlmInteractionType } from '../../../db/enums.ts';
import { createLoopDetector } from '../../model/loop-detector.ts';
import type { Codec } from '../../run-context/codec.ts';
import type { Transcript } from '../../run-context/transcript.ts';
import type { OpenTimelineEvent } from '../../store/journal.ts';
import type { TimelineEventEnd } from '../../store/timeline.ts';

type Status = TimelineEventEnd['status'];

/** The timeline items of one response: any number of waits and thoughts, and the text. */
export interface ResponseItems {
  /** Shows that the LLM service retries by itself, and why. */
  wait(waiting: { reason: string; code: string; seconds: number }): Promise<void>;
  /** @throws LoopDetectedError */
  think(delta: string): Promise<void>;
  /** @throws LoopDetectedError */
  write(delta: string): Promise<void>;
  /**
   * Closes all but the text's item, because the caller knows what the text is.
   * @returns `item`: `null` if none of the text was shown
   */
  end(): Promise<{ item: OpenTimelineEvent | null; shown: string }>;
  /** Closes all items of a response that was interrupted. */
  abandon(status: Status): Promise<void>;
  /** Returns the text and the thinking so far. */
  partial(): { text: string; thinking: string };
}

export function createResponseItems(
  transcript: Transcript,
  { codec, iteration, type }: { codec: Pick<Codec, 'gate'>; iteration: number; type: LlmInteractionType },
): ResponseItems {
  const showsThinking = type !== 'REPORT'; // thoughts about claims are unchecked: only the trace keeps them
  let wait: OpenTimelineEvent | null = null;
  let thought: OpenTimelineEvent | null = null;
  let item: OpenTimelineEvent | null = null;
  const gate = codec.gate();
  const loops = { thinking: createLoopDetector(), text: createLoopDetector() };
  const arrived = { thinking: '', text: '' };
  let shown = '';

  async function show(piece: string): Promise<void> {
    if (piece === '') return;
    shown += piece;
    item ??= await transcript.openTimelineEvent('LLM_RESPONSE');
    await item.append(piece);
  }

  async function endWait(status: Status): Promise<void> {
    const open = wait;
    wait = null;
    await open?.close({ status });
  }

  async function endThought(status: Status): Promise<void> {
    const open = thought;
    thought = null;
    await open?.close({ status, ...interruptedUnless(status) });
  }

  return {
    async wait({ reason, code, seconds }) {
      if (code === '') return; // the provider is at work
      wait ??= await transcript.openTimelineEvent('ERROR', { waiting: true, iteration });
      await wait.append(`${reason} Tried again in ${Math.max(1, Math.round(seconds))} s.\n`);
    },
    async think(delta) {
      await endWait('COMPLETED');
      arrived.thinking += delta;
      if (showsThinking) {
        thought ??= await transcript.openTimelineEvent('LLM_THINKING', { source: 'native' });
        await thought.append(delta);
      }
      loops.thinking.add(delta);
    },
    async write(delta) {
      await endWait('COMPLETED');
      arrived.text += delta;
      await endThought('COMPLETED');
      await show(gate.add(delta));
      loops.text.add(delta);
    },
    async end() {
      await endWait('COMPLETED');
      await endThought('COMPLETED');
      await show(gate.end());
      return { item, shown };
    },
    async abandon(status) {
      await endWait(status);
      await endThought(status);
      await show(gate.end());
      await item?.close({ status, ...interruptedUnless(status) });
    },
    partial: () => arrived,
  };
}

function interruptedUnless(status: Status): { metadata?: Record<string, unknown> } {
  return status === 'COMPLETED' ? {} : { metadata: { interrupted: true } };
}
