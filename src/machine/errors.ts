type MachineErrorCode =
  | 'ALREADY_RUNNING'
  | 'DASHBOARD_BUILD_FAILED'
  | 'LLM_SERVICE_START_FAILED'
  // Prerequisites
  | 'PYTHON_MISSING'
  | 'PYTHON_TOO_OLD'
  | 'PYTHON_VENV_MISSING'
  | 'PACKAGE_REGISTRY_UNREACHABLE'
  | 'PYTHON_PACKAGES_FAILED'
  | 'PROXY_UNREACHABLE'
  | 'HOME_NOT_WRITABLE'
  | 'HOME_BROKEN'
  | 'HOME_FULL'
  | 'NO_EMBEDDED_POSTGRES'
  // Embedded PostgreSQL
  | 'UNSUPPORTED_PLATFORM'
  | 'BINARIES_UNUSABLE'
  | 'IN_USE'
  | 'NO_ACCOUNT'
  | 'DATA_OF_OTHER_USER'
  | 'DATA_UNREACHABLE'
  | 'INITDB_FAILED'
  /** The data folder has no password file, so TARSy did not create it. */
  | 'FOREIGN_DATA'
  | 'START_FAILED';

/** A problem of this machine or its data. The message is one line: what is wrong, and what the operator can do. */
export class MachineError extends Error {
  override readonly name = 'MachineError';
  readonly code: MachineErrorCode;
  constructor(code: MachineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
