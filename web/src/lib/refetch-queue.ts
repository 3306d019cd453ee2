/** Orders requests for current data. A request that joins a running one could get an answer older than its reason. */
export interface Turns {
  /** Runs now, for a different request. */
  readonly now: (work: () => Promise<void>) => Promise<void>;
  /** Runs after the current work, once for all callers that wait. Resolves when the work begun since has ended. */
  readonly after: (work: () => Promise<void>) => Promise<void>;
}

export function createTurns(): Turns {
  let underWay: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const now: Turns['now'] = (work) => {
    next = null;
    const own = work().finally(() => {
      if (underWay === own) underWay = null;
    });
    underWay = own;
    return own;
  };
  return {
    now,
    after: (work) => {
      if (underWay === null) return now(work);
      // Work begun meanwhile is newer than this call.
      next ??= underWay.then(() => underWay ?? now(work));
      return next;
    },
  };
}
