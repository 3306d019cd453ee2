import type { LlmInteractionType } from '../../../db/enums.ts';
import { createLoopDetector } from '../../model/loop-detector.ts';
import type { Codec } from '../../run-context/codec.ts';
import type { Transcript } from '../../run-context/transcript.ts';
import type { OpenTimelineEvent } from '../../store/journal.ts';
import type { TimelineEventEnd } from '../../store/timeline.ts';

type Status = TimelineEventEnd['status'];

/**
 * Returns handlers that show a streamed response in the timeline: retries by the LLM service, thinking and
 * text.
 */
export function createResponseItems(
  transcript: Transcript,
  { codec, iteration, type }: { codec: Pick<Codec, 'gate'>; iteration: number; type: LlmInteractionType },
) {
  const showsThinking = type !== 'REPORT'; // thoughts about claims are unverified, so only the trace keeps them
  let wait: OpenTimelineEvent | null = null;
  let thought: OpenTimelineEvent | null = null;
  let item: OpenTimelineEvent | null = null;
  let gate = codec.gate();
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
    /** Shows in the timeline that the LLM service itself repeats the request, and why. */
    async wait({ reason, code, seconds }: { reason: string; code: string; seconds: number }): Promise<void> {
      if (code === '') return; // '' = no failure: the provider is working
      wait ??= await transcript.openTimelineEvent('ERROR', { waiting: true, iteration });
      await wait.append(`${reason.replace(/\.$/, '')}. Retrying in ${Math.max(1, Math.round(seconds))} s.\n`);
    },
    /** Adds a piece of thinking to the timeline. @throws LoopDetectedError if the model repeats itself */
    async think(delta: string): Promise<void> {
      await endWait('COMPLETED');
      arrived.thinking += delta;
      if (showsThinking) {
        thought ??= await transcript.openTimelineEvent('LLM_THINKING', { source: 'native' });
        await thought.append(delta);
      }
      loops.thinking.add(delta);
    },
    /** Adds a piece of text to the timeline. @throws LoopDetectedError if the model repeats itself */
    async write(delta: string): Promise<void> {
      await endWait('COMPLETED');
      arrived.text += delta;
      await endThought('COMPLETED');
      await show(gate.add(delta));
      loops.text.add(delta);
    },
    /** Reclassifies all text received so far as thinking, in the timeline and in the partial response. */
    async reclassify(): Promise<void> {
      arrived.thinking += arrived.text;
      arrived.text = '';
      gate = codec.gate();
      loops.text = createLoopDetector();
      shown = '';
      const open = item;
      item = null;
      await open?.close({ status: 'COMPLETED', type: 'LLM_THINKING', metadata: { source: 'native' } });
    },
    /** Ends a complete response. Leaves the text's item open, because the caller sets its final type. */
    async end(): Promise<{ item: OpenTimelineEvent | null; shown: string }> {
      await endWait('COMPLETED');
      await endThought('COMPLETED');
      await show(gate.end());
      return { item, shown };
    },
    /** Closes all items of an interrupted response. */
    async abandon(status: Status): Promise<void> {
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
