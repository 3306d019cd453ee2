export interface TurnLimits {
  atOnce: number;
  /** Largest number of waiting turns. Beyond it, each client may still have `FEW` waiting turns. Default: unlimited. */
  maxWaiting?: number;
  /** Longest wait (ms). Default: unlimited. */
  waitMs?: number;
  /** Creates the error for a turn that waits too long or finds the queue full. */
  tooMany?: () => Error;
}

export interface Turns {
  /** Waits for a turn and resolves with the function that ends it. @throws the error of `tooMany` */
  take(client?: string): Promise<() => void>;
}

/** Number of waiting turns that a client may have even if the queue is full. */
const FEW = 5;

/** Limits concurrency fairly. Clients get turns round-robin, so that a busy client delays only itself. */
export function createTurns({ atOnce, maxWaiting = Infinity, waitMs, tooMany }: TurnLimits): Turns {
  let free = atOnce;
  let count = 0;
  /** Waiting turns by client; the first client is next. No set is empty. */
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
