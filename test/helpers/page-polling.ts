/**
 * Stops the polling of a page, so that only an event of the server changes what it shows. An init script: runs in the
 * page before its own scripts.
 */
export function stopPolling(): void {
  const repeat = window.setInterval;
  const never = 2 ** 31 - 1;
  window.setInterval = ((work: () => void, everyMs: number) =>
    repeat(work, everyMs < 10_000 ? everyMs : never)) as typeof window.setInterval;
}

/** Makes a page poll at least every second. An init script, as `stopPolling` is. */
export function pollOften(): void {
  const repeat = window.setInterval;
  window.setInterval = ((work: () => void, everyMs: number) =>
    repeat(work, Math.min(everyMs, 1_000))) as typeof window.setInterval;
}
