interface Limits {
  /** Calls accepted at once. */
  burst: number;
  /** Calls accepted per second after a burst. */
  refill: number;
}

/** Calls per minute of methods with a tier: tier 2, tier 4. Slack documents "at least" that many for the workspace. */
const PER_MINUTE: Readonly<Record<string, number>> = {
  'chat.startStream': 20,
  'chat.appendStream': 100,
  'chat.stopStream': 20,
};

/** Returns a function that is true if Slack accepts one more call of a method. @param posting limits of new messages */
export function createRates(posting: () => Limits): (method: string) => boolean {
  const rates = new Map([['chat.postMessage', createRate(posting)]]);
  for (const [method, burst] of Object.entries(PER_MINUTE))
    rates.set(
      method,
      createRate(() => ({ burst, refill: burst / 60 })),
    );
  return (method) => rates.get(method)?.() ?? true;
}

/** Returns a function that is true while a call is accepted: a burst of calls, refilled at a constant rate per second. */
function createRate(limits: () => Limits): () => boolean {
  let used = 0;
  let at = performance.now();
  return () => {
    const { burst, refill } = limits();
    used = Math.max(0, used - ((performance.now() - at) / 1000) * refill);
    at = performance.now();
    if (used + 1 > burst) return false;
    used += 1;
    return true;
  };
}
