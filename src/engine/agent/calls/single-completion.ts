import { truncate } from '../../../common/truncate.ts';
import type { ResolvedLlm } from '../../../config/resolve.ts';
import { BreakOffError, statusOfFailure } from '../../common/interruptions.ts';
import { type AnyModel, askAnyModel } from '../../model/availability/fallback.ts';
import type { LlmClient, LlmSettings } from '../../model/client.ts';
import { collectStream, type LlmResponse } from '../../model/collect-stream.ts';
import { describeSent, type Fitted } from '../../model/context-window/fit.ts';
import { createPromptWindow } from '../../model/context-window/window.ts';
import { describeError } from '../../model/errors.ts';
import { createLoopDetector } from '../../model/loop-detector.ts';
import { llmSettings } from '../../model/settings.ts';
import { usageOf } from '../../model/usage.ts';
import type { LlmInteractionRecord } from '../../store/interactions.ts';
import type { OpenItem } from '../../store/journal.ts';

/** A call of the model beside an agent's conversation: what it writes streams into an item of its own. */
export interface Aside extends AnyModel {
  client: LlmClient;
  type: LlmInteractionRecord['type'];
  sessionId: string;
  /** Not an agent's: what providers cache for its conversation must not be mixed with this. */
  executionId: string;
  prompt: { system: string; user: string };
  /** What the text is made of, as data. */
  shorten: string;
  /** Of the longest text, UTF-16 code units: what follows is not waited for. Default: any. */
  maxUnits?: number;
  /** Added to the request in the trace. */
  about?: Record<string, unknown>;
  /** What the text of one of them streams into. */
  open(model: ResolvedLlm): Promise<OpenItem>;
  record(record: LlmInteractionRecord): Promise<void>;
}

/** The text has reached its limit. */
class FullError extends Error {}

/** As data of a request; it says nothing that is not in what it is made of. */
const settingsOf = (model: ResolvedLlm): LlmSettings => ({ ...llmSettings(model), nativeTools: {} });

/** Its failure is an outcome. @throws BreakOffError */
export function writeAside(aside: Aside): Promise<{ text: string } | { failure: string }> {
  return askAnyModel(aside, (model) => attempt(aside, model));
}

async function attempt(
  aside: Aside,
  model: ResolvedLlm,
): Promise<{ text: string } | { failure: string; error: unknown }> {
  const { signal } = aside;
  const item = await aside.open(model);
  const call = startCall(aside, settingsOf(model), item);
  try {
    signal.throwIfAborted();
    const cut = await call.read();
    if (call.arrived.text.trim() === '') throw new Error('The model gave an empty summary.');
    const text = await item.close({ status: 'COMPLETED', ...(cut !== null && { content: cut }) });
    await call.record(null);
    return { text };
  } catch (error) {
    if (error instanceof BreakOffError) throw error;
    const reason: unknown = signal.aborted ? signal.reason : error;
    const failure = describeError(reason);
    await item.close({ status: statusOfFailure(reason), metadata: { interrupted: true, error: failure } });
    await call.record(failure);
    return { failure, error };
  }
}

function startCall(
  { type, prompt, maxUnits = Number.POSITIVE_INFINITY, ...aside }: Aside,
  llm: LlmSettings,
  item: OpenItem,
) {
  const startedAt = performance.now();
  const messages = [
    { role: 'SYSTEM', content: prompt.system },
    { role: 'USER', content: prompt.user },
  ] as const;
  let sent: Fitted<(typeof messages)[number]> = { messages, shortened: null, weight: 0 };
  const arrived: Pick<LlmResponse, 'text' | 'thinking' | 'usage'> = { text: '', thinking: '', usage: null };
  const loop = createLoopDetector();

  async function onText(delta: string): Promise<void> {
    arrived.text += delta;
    await item.append(delta);
    loop.add(delta);
    if (arrived.text.length > maxUnits) throw new FullError();
  }

  return {
    arrived,
    /** @returns the text, where it was cut */
    async read(): Promise<string | null> {
      const { client, sessionId, executionId, shorten, signal } = aside;
      const call = { sessionId, executionId, llm, tools: [], purpose: type, task: { shorten } };
      try {
        await createPromptWindow(llm).within({ messages, tools: [] }, (fitted) => {
          sent = fitted;
          return collectStream(client.generate({ ...call, messages: fitted.messages }, { signal }), {
            onThinking: (delta) => {
              arrived.thinking += delta;
            },
            onText,
            onUsage: (usage) => {
              arrived.usage = usage;
            },
          });
        });
        return null;
      } catch (error) {
        if (!(error instanceof FullError)) throw error;
        return truncate(arrived.text, maxUnits);
      }
    },
    record: (errorMessage: string | null) =>
      aside.record({
        type,
        iteration: null,
        provider: llm.provider,
        modelName: llm.model,
        request: { backend: llm.backend, model: llm.model, ...aside.about, ...describeSent(sent) },
        response: { text: arrived.text },
        thinking: arrived.thinking || null,
        lastMessageSequence: null,
        usage: usageOf(arrived),
        durationMs: performance.now() - startedAt,
        errorMessage,
      }),
  };
}
