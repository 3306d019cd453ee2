export interface TurnLimits {
  atOnce: number;
  /** Most waiting clients, beyond a few per client. Default: unlimited. */
  maxWaiting?: number;
  /** Longest wait (ms). Default: unlimited. */
  waitMs?: number;
  /** Creates the error for a wait that is too long or a queue that is full. */
  tooMany?: () => Error;
}

export interface Turns {
  /** Resolves with the function that ends the turn. @throws the error of the limits */
  take(client?: string): Promise<() => void>;
}

/** Waiting turns that each client may always have. */
const FEW = 5;

/** Limits concurrency fairly: waiting clients get turns round-robin, so that a busy client delays only itself. */
export function createTurns({ atOnce, maxWaiting = Infinity, waitMs, tooMany }: TurnLimits): Turns {
  let free = atOnce;
  let count = 0;
  /** Waiting turns by client, in the order of their next turn; no set is empty. */
  const waiting = new Map<string, Set<() => void>>();

  function leave(): void {
    const [next] = waiting;
    if (next === undefined) {
      free += 1;
      return;
    }
    const [client, ofClient] = next;
    const [go] = ofClient;
    waiting.delete(client);
    ofClient.delete(go!);
    count -= 1;
    if (ofClient.size > 0) waiting.set(client, ofClient); // to the end of the queue
    go!();
  }

  function leaveOnce(): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      leave();
    };
  }

  return {
    async take(client = '') {
      if (free > 0) {
        free -= 1;
        return leaveOnce();
      }
      const ofClient = waiting.get(client) ?? new Set();
      if (count >= maxWaiting && ofClient.size >= FEW) throw tooMany?.();
      waiting.set(client, ofClient);
      count += 1;
      return new Promise((resolve, reject) => {
        const go = () => {
          clearTimeout(late);
          resolve(leaveOnce());
        };
        const late =
          waitMs &&
          setTimeout(() => {
            ofClient.delete(go);
            count -= 1;
            if (ofClient.size === 0) waiting.delete(client);
            reject(tooMany?.());
          }, waitMs);
        ofClient.add(go);
      });
    },
  };
}
