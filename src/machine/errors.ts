import type { MACHINE_ERRORS } from '../common/error-codes/commands.ts';

type MachineErrorCode = keyof typeof MACHINE_ERRORS;

/** A problem of this machine or its data. The message is one line: what is wrong, and what the operator can do. */
export class MachineError extends Error {
  override readonly name = 'MachineError';
  readonly code: MachineErrorCode;
  constructor(code: MachineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
