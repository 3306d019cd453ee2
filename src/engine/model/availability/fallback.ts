import type { ResolvedLlm } from '../../../config/resolve.ts';
import type { FallbackReason } from '../../../db/enums.ts';
import { describeError, LlmError } from '../errors.ts';
import { type Circuits, type Trigger, triggerOf } from './provider-availability.ts';

/** Who is asked for something that one call, or a few, make; and who is asked anew when the one before cannot be had. */
export interface AnyModel {
  /** In their order; one at least. */
  models: readonly ResolvedLlm[];
  circuits: Circuits;
  /** Once it has aborted nobody else is asked. */
  signal: AbortSignal;
  fellBack(event: ReturnType<typeof fallbackEvent>): Promise<void>;
}

/**
 * Asks one model after the other, until one answers or fails in a way to which another is no answer.
 * @param ask fails by what it returns: with an `error`; `isLast`: nobody can take over
 * @returns what the last one that was asked made of it
 */
export async function askAnyModel<Made extends object>(
  { circuits, signal, fellBack, ...of }: AnyModel,
  ask: (model: ResolvedLlm, isLast: boolean) => Promise<Made>,
): Promise<Made> {
  const models = [...of.models];
  for (let model = models.shift()!; ; ) {
    const others = models.filter(({ providerName }) => !circuits.isOpen(providerName));
    const [next] = others;
    const isKnown = !circuits.admits(model.providerName) && next !== undefined;
    let because = OTHERS_COULD_NOT;
    if (!isKnown) {
      const made = await ask(model, next === undefined);
      if (!('error' in made)) {
        circuits.answered(model.providerName);
        return made;
      }
      const trigger = signal.aborted ? null : triggerOf(made.error);
      if (trigger !== null) circuits.failed(model.providerName, trigger.reason);
      if (trigger === null || next === undefined) return made;
      because = becauseOf(trigger, made.error);
    }
    await fellBack(fallbackEvent(because, { from: model, to: next! }));
    models.splice(0, models.indexOf(next!) + 1);
    model = next!;
  }
}

/** Why a provider is left for another, and what it said; the code is the failure's. */
export interface LeftBecause {
  reason: FallbackReason;
  why: string;
  code: string | null;
}

export const OTHERS_COULD_NOT: LeftBecause = {
  reason: 'CIRCUIT_OPEN',
  why: 'others could not have it just now',
  code: null,
};

export function becauseOf({ reason }: Trigger, error: unknown): LeftBecause {
  return { reason, why: describeError(error), code: error instanceof LlmError ? error.code : null };
}

type Placed = Pick<ResolvedLlm, 'providerName' | 'backend' | 'provider'>;

/** As the timeline tells that another provider goes on. @param gone native tools that it lacks */
export function fallbackEvent(
  { reason, why, code }: LeftBecause,
  { from, to }: { from: Placed; to: Placed },
  gone: readonly string[] = [],
) {
  const text = `${named(from)} could not be had: ${why.replace(/\.$/, '')}. ${named(to)} goes on.`;
  return {
    type: 'PROVIDER_FALLBACK',
    content: gone.length === 0 ? text : `${text} It has no ${gone.join(', ')}.`,
    metadata: {
      ...{ reason, error_code: code, from: placed(from), to: placed(to) },
      native_tools_dropped: gone,
    },
  } as const;
}

const named = ({ provider: { model }, providerName }: Placed) => `${model} (${providerName})`;

function placed({ providerName, backend, provider: { model } }: Placed) {
  return { provider: providerName, backend, model };
}
