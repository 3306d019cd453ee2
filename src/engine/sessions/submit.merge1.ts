import type { Headline, SessionSnapshot, SubmitAlertInput } from '../api/engine.ts';
import type { NewSession } from '../store/sessions.ts';

/** The steps of a submission, for who stores sessions in a transaction of its own. */
export interface Submissions {
  /** Counts an alert, or a delivery of several, of this sender. @throws ShuttingDownError, TooManyAlertsError */
  count(author: string): void;
  /**
   * Checks and masks.
   * @param headline what the alert is about, masked; default: as its text says
   * @throws ValidationError, AlertTooLargeError, TooManyAlertsError when too many wait
   */
  prepare(input: SubmitAlertInput, author: string, headline?: Headline): Promise<NewSession>;
  /** To be called once its transaction has committed. */
  stored(session: SessionSnapshot): void;
}
