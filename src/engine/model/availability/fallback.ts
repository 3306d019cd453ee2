import type { ResolvedLlm } from '../../../config/resolve.ts';
import { becauseOf, fallbackEvent, OTHERS_COULD_NOT } from './fallback.merge1.ts';
import type { Circuits } from './provider-availability.merge2.ts';
import { triggerOf } from './provider-availability.ts';

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
