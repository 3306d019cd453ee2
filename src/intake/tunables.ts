/** Maximum size of a delivery (bytes). Senders document at most 1 MB, but Alertmanager sends whole groups. */
export const DELIVERY_MAX_BYTES = 4 * 1024 * 1024;

/** Maximum number of alerts in a delivery: one transaction writes these within the shortest timeout (Sentry, 1 s). */
export const DELIVERY_MAX_ALERTS = 5_000;

/** Maximum number of labels, and of annotations, of an alert. */
export const MAX_LABELS = 200;

/** Maximum lengths (characters). Longer labels and annotations are cut, longer URLs left out, longer keys hashed. */
export const LABEL_MAX_LENGTH = 2_000;
export const ANNOTATION_MAX_LENGTH = 10_000;
export const URL_MAX_LENGTH = 2_000;
export const KEY_MAX_LENGTH = 200;

/** Maximum length (characters) of the keys of a submission. Longer ones are refused, because the caller chooses them. */
export const SUBMITTED_KEY_MAX_LENGTH = 512;

/** Largest difference (ms) between a signed time and now, so that recorded requests cannot be replayed later. */
export const SIGNED_TIME_TOLERANCE_MS = 5 * 60_000;

/** Like SIGNED_TIME_TOLERANCE_MS, for SNS, which repeats a notification with its original time for up to an hour. */
export const SNS_TIME_TOLERANCE_MS = 3_600_000;

/**
 * Time (ms) after a resolution in which a firing alert with the known start counts as a late delivery. Only for senders
 * that neither say when they report nor fire again with an old start.
 */
export const LATE_DELIVERY_MS = 4 * 60_000;

/** Longest delay (ms) of a late delivery: SNS retries for an hour. A larger difference is one between two clocks. */
export const LATEST_RETRY_MS = 3_600_000;

/** A document shows the first alerts in full, then one line for each alert up to DOCUMENT_LISTED_ALERTS. */
export const DOCUMENT_WHOLE_ALERTS = 50;
export const DOCUMENT_LISTED_ALERTS = 500;
