import { EngineError } from '../common/errors.ts';
import type { IntakeDecisionRow } from '../db/entities/index.ts';

/**
 * Why a delivery is refused. Each has a stable code and the status that its sender gets; what may succeed later is 503,
 * the one status after which every sender tries again.
 *
 *   DeliveryRefusedError
 *   ├─ 401  BAD_PROOF              no proof, a wrong one, or one that is too old
 *   ├─ 413  DELIVERY_TOO_LARGE     bytes, or alerts
 *   ├─ 415  UNSUPPORTED_ENCODING
 *   ├─ 422  UNREADABLE_DELIVERY    not JSON, or not in the form of its source's type; the message begins with the path
 *   └─ 503  PROOF_UNAVAILABLE      a certificate cannot be had now
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

/** Not in the form that its source's type has. @param path where, such as `$.alerts[3].labels` */
export function unreadable(path: string, problem: string): DeliveryRefusedError {
  return new DeliveryRefusedError('UNREADABLE_DELIVERY', `${path}: ${problem}`);
}

/** An alert that was submitted is taken, and not investigated now: the decision says why. */
export class AlertNotInvestigatedError extends EngineError {
  readonly code = 'ALERT_NOT_INVESTIGATED';
  readonly decision: IntakeDecisionRow;
  constructor(decision: IntakeDecisionRow) {
    super(`The alert is taken, and not investigated now (${decision.outcome}). ${decision.reason}`);
    this.decision = decision;
  }
}
