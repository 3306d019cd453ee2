import { EngineError } from '../common/errors.ts';
import type { IntakeDecisionRow, SilenceRow } from '../db/entities/index.ts';

/**
 * Thrown when a delivery is refused. Temporary refusals use 503, the one status after which every sender retries.
 *
 *   DeliveryRefusedError
 *   ├─ 401  BAD_PROOF              the proof is missing, wrong or too old
 *   ├─ 413  DELIVERY_TOO_LARGE     too many bytes or alerts
 *   ├─ 415  UNSUPPORTED_ENCODING
 *   ├─ 422  UNREADABLE_DELIVERY    not JSON, or not the format of the source type; the message begins with the path
 *   └─ 503  PROOF_UNAVAILABLE      the SNS certificate cannot be fetched now
 */
export class DeliveryRefusedError extends Error {
  readonly status: number;
  readonly code: RefusalCode;
  constructor(code: RefusalCode, message: string) {
    super(message);
    this.name = 'DeliveryRefusedError';
    this.code = code;
    this.status = STATUS_OF[code];
  }
}

const STATUS_OF = {
  BAD_PROOF: 401,
  DELIVERY_TOO_LARGE: 413,
  UNSUPPORTED_ENCODING: 415,
  UNREADABLE_DELIVERY: 422,
  PROOF_UNAVAILABLE: 503,
} as const;

export type RefusalCode = keyof typeof STATUS_OF;

export function badProof(message: string): DeliveryRefusedError {
  return new DeliveryRefusedError('BAD_PROOF', message);
}

/** Returns the error about a wrong value in a delivery. @param path of the value, such as `$.alerts[3].labels` */
export function unreadable(path: string, problem: string): DeliveryRefusedError {
  return new DeliveryRefusedError('UNREADABLE_DELIVERY', `${path}: ${problem}`);
}

/** Thrown when a submitted alert is stored but not investigated now; the decision says why. */
export class AlertNotInvestigatedError extends EngineError {
  readonly code = 'ALERT_NOT_INVESTIGATED';
  readonly decision: IntakeDecisionRow;
  constructor(decision: IntakeDecisionRow) {
    super(`The alert is stored but not investigated now (${decision.outcome}). ${decision.reason}`);
    this.decision = decision;
  }
}

/** Thrown when a silence with the same matchers and teams overlaps the new one in time. */
export class SilenceExistsError extends EngineError {
  readonly code = 'SILENCE_EXISTS';
  readonly silence: SilenceRow;
  constructor(silence: SilenceRow) {
    const until = silence.endsAt.toISOString();
    super(
      `${silence.createdBy} already silenced this until ${until}: ${silence.comment} To silence it longer, start the new silence at that time.`,
    );
    this.silence = silence;
  }
}
