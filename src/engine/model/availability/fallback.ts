import type { ResolvedLlm } from '../../../config/resolve.ts';
import type { FallbackReason, Observer } from '../../api/observer.ts';
import { classifyModelError, describeError, LlmError, type ModelErrorClass } from '../errors.ts';
import type { ProviderAvailability } from './provider-availability.ts';

/** The models to try, in order. The next one is used when the previous one is unavailable. */
export interface ModelList {
  /** At least one model. */
  models: readonly ResolvedLlm[];
  availability: ProviderAvailability;
  observer: Pick<Observer, 'metrics'>;
  /** No further model is tried once this has aborted. */
  signal: AbortSignal;
  onFallback(event: FallbackEvent): void | Promise<void>;
}

/**
 * Tries one model after the other, until one succeeds or fails in a way that another model would not help.
 * @param attempt returns an object with an `error` if it failed; `isLast` is true if no other model can take over
 * @returns the result of the last attempt
 */
export async function tryModels<Result extends object>(
  { availability, observer, signal, onFallback, ...list }: ModelList,
  attempt: (model: ResolvedLlm, isLast: boolean) => Promise<Result>,
): Promise<Result> {
  const models = [...list.models];
  for (let model = models.shift()!; ; ) {
    const [next] = models.filter(({ providerName }) => !availability.isOpen(providerName));
    let cause = CIRCUIT_OPEN;
    if (availability.admits(model.providerName) || next === undefined) {
      const result = await attempt(model, next === undefined);
      if (!('error' in result)) {
        availability.answered(model.providerName);
        return result;
      }
      if (signal.aborted) return result;
      const { fallbackReason } = classifyModelError(result.error);
      if (fallbackReason === null) return result;
      availability.failed(model.providerName, fallbackReason);
      if (next === undefined) return result;
      cause = fallbackCause(fallbackReason, result.error);
    }
    const event = fallbackEvent(cause, { from: model, to: next! });
    observer.metrics.fellBack(model.providerName, next!.providerName, cause.reason);
    await onFallback(event);
    models.splice(0, models.indexOf(next!) + 1);
    model = next!;
  }
}

/** Why a provider is replaced. `code`: the error's code; `null` if there is none. */
export interface FallbackCause {
  reason: FallbackReason;
  why: string;
  code: string | null;
}

export const CIRCUIT_OPEN: FallbackCause = {
  reason: 'CIRCUIT_OPEN',
  why: 'other calls failed recently',
  code: null,
};

export function fallbackCause(
  reason: NonNullable<ModelErrorClass['fallbackReason']>,
  error: unknown,
): FallbackCause {
  return { reason, why: describeError(error), code: error instanceof LlmError ? error.code : null };
}

type ModelName = Pick<ResolvedLlm, 'providerName' | 'backend' | 'provider'>;

export type FallbackEvent = ReturnType<typeof fallbackEvent>;

/** Returns the timeline event of a fallback. `droppedTools`: native tools that the new provider lacks. */
export function fallbackEvent(
  { reason, why, code }: FallbackCause,
  { from, to }: { from: ModelName; to: ModelName },
  droppedTools: readonly string[] = [],
) {
  const text = `${named(from)} is unavailable: ${why.replace(/\.$/, '')}. Falling back to ${named(to)}.`;
  return {
    type: 'PROVIDER_FALLBACK',
    content:
      droppedTools.length === 0 ? text : `${text} Tools not available there: ${droppedTools.join(', ')}.`,
    metadata: {
      ...{ reason, error_code: code, from: idsOf(from), to: idsOf(to) },
      native_tools_dropped: droppedTools,
    },
  } as const;
}

const named = ({ provider: { model }, providerName }: ModelName) => `${model} (${providerName})`;

function idsOf({ providerName, backend, provider: { model } }: ModelName) {
  return { provider: providerName, backend, model };
}
