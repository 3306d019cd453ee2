/**
 * Orders refetches. A refetch must not share the answer of a running request, which may be older than the
 * change that caused the refetch.
 */
export interface RefetchQueue {
  /** Runs the work at once, even beside other work, because the query's input has changed. */
  readonly runNow: (work: () => Promise<void>) => Promise<void>;
  /**
   * Runs the work after the current work, once for all waiting callers. Resolves when work that began after
   * the call ends.
   */
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
      // Work that began after this call counts for it too, because its answer is new enough.
      next ??= current.then(() => current ?? runNow(work));
      return next;
    },
  };
}
