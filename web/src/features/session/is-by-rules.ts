import type { TimelineStructure } from '../timeline/timeline-store.ts';
import type { SessionDetail } from './session-detail.ts';

/** Name of the model of the offline rules. */
const OFFLINE_MODEL = 'offline';

/** True if no language model took part, as the session's report or the models of its agents tell. */
export function isByRules({ byRules }: SessionDetail, executions: TimelineStructure['executions']): boolean {
  const models = [...executions.values()].flatMap(({ modelName }) => modelName ?? []);
  return byRules || (models.length > 0 && models.every((model) => model === OFFLINE_MODEL));
}
