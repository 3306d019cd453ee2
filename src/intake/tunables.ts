/** Bytes of a delivery: the largest documented by any sender is 1 MB, but Alertmanager sends whole groups. */
export const DELIVERY_MAX_BYTES = 4 * 1024 * 1024;

/** Alerts of a delivery: one transaction writes them within the shortest timeout of a sender (Sentry, 1 s). */
export const DELIVERY_MAX_ALERTS = 5_000;

/** Labels, and annotations, of an alert. Prometheus's own default limit is lower. */
export const MAX_LABELS = 200;

/** Lengths are in characters. Longer keys are stored as their hash. */
export const LABEL_MAX_LENGTH = 2_000;
export const ANNOTATION_MAX_LENGTH = 10_000;
export const URL_MAX_LENGTH = 2_000;
export const KEY_MAX_LENGTH = 200;

/** The largest difference (ms) between a signed time and now, so that recorded requests cannot be replayed later. */
export const SIGNED_TIME_TOLERANCE_MS = 5 * 60_000;

/** The same for SNS, which repeats a notification with its first time for up to an hour. */
export const SNS_TIME_TOLERANCE_MS = 3_600_000;

/**
 * The time (ms) after a resolution in which the same start means a late delivery. Senders without delivery ids retry within
 * it, and it is shorter than the group interval of Alertmanager and Grafana (5 min).
 */
export const LATE_DELIVERY_MS = 4 * 60_000;

/** The numbers of alerts that a document shows in full and in one line. */
export const DOCUMENT_WHOLE_ALERTS = 50;
export const DOCUMENT_LISTED_ALERTS = 500;
