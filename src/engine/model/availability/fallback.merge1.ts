import type { ResolvedLlm } from '../../../config/resolve.ts';
import type { FallbackReason } from '../../../db/enums.ts';
import { describeError } from '../errors.merge1.ts';
import { LlmError } from '../errors.ts';
import type { Trigger } from './provider-availability.ts';

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
