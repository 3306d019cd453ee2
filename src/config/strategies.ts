import { type Backend, type IterationStrategy, type LlmProviderType, toConfigSpelling } from './enums.ts';

const GOOGLE_NATIVE: readonly IterationStrategy[] = ['NATIVE_THINKING', 'SYNTHESIS_NATIVE_THINKING'];

/** For each strategy, the equivalent that works with every provider type. */
export const PROVIDER_NEUTRAL_STRATEGY = {
  NATIVE_THINKING: 'LANGCHAIN',
  SYNTHESIS_NATIVE_THINKING: 'SYNTHESIS',
  LANGCHAIN: 'LANGCHAIN',
  REACT: 'REACT',
  SINGLE_CALL: 'SINGLE_CALL',
  SYNTHESIS: 'SYNTHESIS',
} as const satisfies Record<IterationStrategy, IterationStrategy>;

export function backendFor(strategy: IterationStrategy, type: LlmProviderType): Backend {
  if (type === 'offline') return 'offline';
  return GOOGLE_NATIVE.includes(strategy) ? 'google-native' : 'langchain';
}

export function defaultStrategy(type: LlmProviderType): IterationStrategy {
  return type === 'google' ? 'NATIVE_THINKING' : 'LANGCHAIN';
}

/** Returns the strategy of a synthesis whose agents use `strategy`. */
export function synthesisStrategy(strategy: IterationStrategy, type: LlmProviderType): IterationStrategy {
  return type === 'google' && GOOGLE_NATIVE.includes(strategy) ? 'SYNTHESIS_NATIVE_THINKING' : 'SYNTHESIS';
}

/** Returns why strategy and provider are incompatible; `null` if they are compatible. */
export function strategyProblem(
  strategy: IterationStrategy,
  provider: { readonly name: string; readonly type: LlmProviderType },
): string | null {
  if (backendFor(strategy, provider.type) !== 'google-native' || provider.type === 'google') return null;
  return (
    `iteration strategy ${toConfigSpelling(strategy)} needs an LLM provider of type google, ` +
    `but "${provider.name}" is of type ${provider.type}`
  );
}
