import type { IterationStrategy } from '../../../config/enums.ts';
import type { Controller } from '../agent.ts';
import { functionCallingController } from './function-calling.ts';
import { reactController } from './react.ts';
import { singleCallController } from './single-call.ts';

/** Strategy → controller. */
export function controllerFor(strategy: IterationStrategy): Controller {
  switch (strategy) {
    case 'LANGCHAIN':
    case 'NATIVE_THINKING':
      return functionCallingController;
    case 'REACT':
      return reactController;
    case 'SINGLE_CALL':
    case 'SYNTHESIS':
    case 'SYNTHESIS_NATIVE_THINKING':
      return singleCallController;
  }
}
