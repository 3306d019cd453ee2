export interface TurnLimits {
  /** How many have a turn at the same time. */
  atOnce: number;
  /** How many may wait for theirs, beyond a few of each client; default: any number. */
  maxWaiting?: number;
  /** Milliseconds that one may wait; default: for ever. */
  waitMs?: number;
  /** What is thrown when it has to wait too long, or too many do. */
  tooMany?: () => Error;
}

export interface Turns {
  /** Resolves with the way to give the turn back. @throws the limits' error */
  take(client?: string): Promise<() => void>;
}

/** Of each client so many may wait, however many of others do. */
const FEW = 5;

/**
 * Gives turns, so many at once. Clients that wait take them one after the other, each its oldest first: who asks for much
 * waits for itself.
 */
export function createTurns({ atOnce, maxWaiting = Infinity, waitMs, tooMany }: TurnLimits): Turns {
  let free = atOnce;
  /** Of all that wait. */
  let count = 0;
  /** By client, in the order of their next turns; none is empty. */
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
    if (ofClient.size > 0) waiting.set(client, ofClient); // behind the others
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
