/** A limit of time on work that may have to wait for somebody else, which does not count. */
export interface TimeLimit {
  /** Aborts when the time is up, with the platform's TimeoutError, or with the reason of the work around it. */
  readonly signal: AbortSignal;
  /** The time does not run until `restart`. */
  pause(): void;
  /** All of the time is left again. */
  restart(): void;
}

/** Limits work to so many milliseconds from now on. */
export function limitTime(around: AbortSignal, limitMs: number): TimeLimit {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const pause = () => clearTimeout(timer);
  const restart = () => {
    pause();
    const up = () => controller.abort(new DOMException('The time limit was reached.', 'TimeoutError'));
    timer = setTimeout(up, limitMs).unref();
  };
  restart();
  return { signal: AbortSignal.any([around, controller.signal]), pause, restart };
}
