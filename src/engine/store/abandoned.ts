/** SQL interval after which unclaimed work counts as abandoned if no job waits for it. A worker claims within milliseconds. */
export const UNCLAIMED_AFTER = `interval '5 seconds'`;

/** Work without a worker. `isUnclaimed`: no worker has claimed it, so that its job may still wait in the queue. */
export interface AbandonedRow {
  id: string;
  isUnclaimed: boolean;
}
