import { UNITS_PER_TOKEN } from '../../../common/truncate.ts';
import type { Config } from '../../../config/types.ts';
import { promptUnits } from '../../model/context-window/window.ts';
import type { LlmSettings } from '../../model/request.ts';
import type { ResultLimits } from '../../prompt-text/outputs.ts';
import {
  MODEL_RESULT_MAX_UNITS,
  PART_MAX_UNITS,
  PART_MIN_UNITS,
  PART_SHARE,
  WHOLE_RESULT_MIN_UNITS,
  WHOLE_RESULT_SHARE,
} from '../../tunables.ts';

/** How much of a tool's result a model is given. */
export function resultLimits({
  llm,
  config,
}: {
  llm: LlmSettings;
  config: Pick<Config, 'defaults'>;
}): ResultLimits {
  // Rules read as fast as they are sent, and ask for nothing twice.
  if (llm.provider === 'offline') return { whole: MODEL_RESULT_MAX_UNITS, part: MODEL_RESULT_MAX_UNITS };
  const window = promptUnits(llm);
  const configured = config.defaults.toolResults.wholeMaxTokens * UNITS_PER_TOKEN;
  const whole = Math.max(WHOLE_RESULT_MIN_UNITS, Math.min(configured, window * WHOLE_RESULT_SHARE));
  const part = Math.max(PART_MIN_UNITS, Math.min(PART_MAX_UNITS, window * PART_SHARE));
  return { whole: Math.floor(whole), part: Math.floor(Math.min(part, whole)) };
}
