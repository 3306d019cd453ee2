import type { IterationStrategy } from '../../../config/enums.ts';
import type { Controller } from '../agent.ts';
import { functionCallingController } from './function-calling.ts';
import { singleCallController } from './single-call.ts';

/** A strategy that the configuration names and that this version cannot run. */
class StrategyNotAvailableError extends Error {
  readonly code = 'STRATEGY_NOT_AVAILABLE';
  constructor(strategy: IterationStrategy) {
    const word = strategy.toLowerCase().replaceAll('_', '-');
    super(
      `The iteration strategy ${word} is not available in this version. Use langchain, native-thinking or single-call.`,
    );
    this.name = 'StrategyNotAvailableError';
  }
}

/** Strategy → controller. @throws StrategyNotAvailableError */
export function controllerFor(strategy: IterationStrategy): Controller {
  switch (strategy) {
    case 'LANGCHAIN':
    case 'NATIVE_THINKING':
      return functionCallingController;
    case 'SINGLE_CALL':
    case 'SYNTHESIS':
    case 'SYNTHESIS_NATIVE_THINKING':
      return singleCallController;
    default:
      throw new StrategyNotAvailableError(strategy);
  }
}
