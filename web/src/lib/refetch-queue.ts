/** Orders refetches. A refetch must not join a running request, whose answer may be older than its reason. */
export interface RefetchQueue {
  /** Runs at once, because the work is for a different request. */
  readonly runNow: (work: () => Promise<void>) => Promise<void>;
  /** Runs after the current work, once for all waiting callers. Resolves when work begun after the call has ended. */
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
      // Joins work that has begun meanwhile, because it is newer than this call.
      next ??= current.then(() => current ?? runNow(work));
      return next;
    },
  };
}
