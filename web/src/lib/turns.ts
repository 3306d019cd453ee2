/**
 * When to ask how things are now. Asked while the same question is under way, one may be given that answer, which is
 * older than the reason to ask again.
 */
export interface Turns {
  /** Does it at once: another question. */
  readonly now: (work: () => Promise<void>) => Promise<void>;
  /** Does it after what is under way, once for all who ask meanwhile. Resolves when what was begun since has ended. */
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
      // One that was begun meanwhile was asked later than this.
      next ??= underWay.then(() => underWay ?? now(work));
      return next;
    },
  };
}
