/** Numbers of the intake that are not configuration: each with its unit and its reason. */

/** Bytes of one delivery. The largest that any sender documents is 1 MB; Alertmanager sends whole groups. */
export const DELIVERY_MAX_BYTES = 4 * 1024 * 1024;

/** Alerts of one delivery: what one transaction writes within a sender's shortest patience (Sentry: a second). */
export const DELIVERY_MAX_ALERTS = 5_000;

/** Labels, and annotations, of one alert. Prometheus' own default limit is below it. */
export const MAX_LABELS = 200;

/** Characters of a label's name and of its value. */
export const LABEL_MAX_LENGTH = 2_000;

/** … of an annotation's value, which is text for people. */
export const ANNOTATION_MAX_LENGTH = 10_000;

/** Characters of an address, and of a key that a sender gives: longer ones are kept as their hash. */
export const URL_MAX_LENGTH = 2_000;
export const KEY_MAX_LENGTH = 200;

/** How far a signed time may lie from ours (ms): clocks differ, and what was recorded must not be sent again later. */
export const SIGNED_TIME_TOLERANCE_MS = 5 * 60_000;

/** … for SNS, which repeats a notification with its first time for up to an hour. */
export const SNS_TIME_TOLERANCE_MS = 3_600_000;

/** Milliseconds to fetch a certificate of SNS, which a sender waits for; how long it is kept; and its largest size. */
export const CERTIFICATE_FETCH_MS = 700;
export const CERTIFICATE_TTL_MS = 24 * 3_600_000;
export const CERTIFICATE_MAX_BYTES = 16 * 1024;

/** Certificates kept: SNS has a few for each region. */
export const MAX_CERTIFICATES = 50;

/**
 * Milliseconds after an end was told of in which the same beginning is one that came late: what senders without marks on
 * their deliveries try again within, and less than until Alertmanager and Grafana look at a group again (5 min).
 */
export const LATE_DELIVERY_MS = 4 * 60_000;

/** Milliseconds that an investigation waits for more alerts of its group: senders tell of related ones within seconds. */
export const GROUP_WAIT_MS = 10_000;

/** Milliseconds that an investigation stands for its group: the usual interval at which Alertmanager repeats. */
export const REINVESTIGATE_AFTER_MS = 4 * 3_600_000;

/** Alerts of a group that its document tells whole, and those that it tells in a line. */
export const DOCUMENT_WHOLE_ALERTS = 50;
export const DOCUMENT_LISTED_ALERTS = 500;
