import { type Backend, type IterationStrategy, type LlmProviderType, toConfigSpelling } from './enums.ts';

const GOOGLE_NATIVE: readonly IterationStrategy[] = ['NATIVE_THINKING', 'SYNTHESIS_NATIVE_THINKING'];

/** Each strategy as a provider of any type can have it. */
export const PROVIDER_NEUTRAL_STRATEGY = {
  NATIVE_THINKING: 'LANGCHAIN',
  SYNTHESIS_NATIVE_THINKING: 'SYNTHESIS',
  LANGCHAIN: 'LANGCHAIN',
  REACT: 'REACT',
  SINGLE_CALL: 'SINGLE_CALL',
  SYNTHESIS: 'SYNTHESIS',
} as const satisfies Record<IterationStrategy, IterationStrategy>;

/** The backend that answers: by strategy, but the offline provider has no other than its own. */
export function backendFor(strategy: IterationStrategy, type: LlmProviderType): Backend {
  if (type === 'offline') return 'offline';
  return GOOGLE_NATIVE.includes(strategy) ? 'google-native' : 'langchain';
}

/** The strategy of agents when nothing is configured. */
export function defaultStrategy(type: LlmProviderType): IterationStrategy {
  return type === 'google' ? 'NATIVE_THINKING' : 'LANGCHAIN';
}

/** The strategy of a synthesis whose agents work by `strategy`. */
export function synthesisStrategy(strategy: IterationStrategy, type: LlmProviderType): IterationStrategy {
  return type === 'google' && GOOGLE_NATIVE.includes(strategy) ? 'SYNTHESIS_NATIVE_THINKING' : 'SYNTHESIS';
}

/** Why strategy and provider cannot go together, or null. */
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
