import { WARNING_CATEGORIES, type Warnings } from '../../warnings.ts';
import type { CanaryState } from './states.ts';

/** Raises a warning for each missing heartbeat and clears it when the heartbeat returns. */
export function createCanaryWarnings(warnings: Warnings): (states: readonly CanaryState[]) => Promise<void> {
  const category = WARNING_CATEGORIES.canary;
  let said = new Map<string, string | null>();
  return async (states) => {
    const now = new Map(states.map((state) => [keyOf(state), state.error]));
    for (const [key, error] of now) {
      if (said.get(key) === error) continue;
      if (error === null) await warnings.clear(category, key);
      else await warnings.raise({ category, key, message: MESSAGE, details: error });
    }
    // The entry of a rule scopeToTeam source was unknown until its first heartbeat.
    for (const key of said.keys()) if (!now.has(key)) await warnings.clear(category, key);
    said = now;
  };
}

const MESSAGE = 'A sign of life stays away: alerts may not come, or not be investigated.';

function keyOf({ source, rule }: CanaryState): string {
  return JSON.stringify([source, rule]);
}

/** @throws Error if a heartbeat is missing */
export function requireHealthy(states: readonly CanaryState[]): void {
  const problems = states.filter(({ healthy }) => !healthy).map(({ error }) => error);
  if (problems.length > 0) throw new Error(problems.join(' '));
}
