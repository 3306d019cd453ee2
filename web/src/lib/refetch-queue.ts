/** Orders requests for current data. A request that joins a running one could get an answer older than its reason. */
export interface RefetchQueue {
  /** Runs now, for a different request. */
  readonly runNow: (work: () => Promise<void>) => Promise<void>;
  /** Runs after the current work, once for all callers that wait. Resolves when the work begun since has ended. */
  readonly runNext: (work: () => Promise<void>) => Promise<void>;
}

export function createRefetchQueue(): RefetchQueue {
  let current: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const runNow: RefetchQueue['runNow'] = (work) => {
    next = null;
    const own = work().finally(() => {
      if (current === own) current = null;
    });
    current = own;
    return own;
  };
  return {
    runNow,
    runNext: (work) => {
      if (current === null) return runNow(work);
      // Work begun meanwhile is newer than this call.
      next ??= current.then(() => current ?? runNow(work));
      return next;
    },
  };
}
