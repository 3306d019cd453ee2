/** A required environment variable is not set. */
class MissingVariableError extends Error {
  readonly code = 'MISSING_VARIABLE';
  constructor(command: string, variable: keyof typeof EXAMPLES) {
    super(`${command} needs ${variable}, for example ${variable}=${EXAMPLES[variable]}`);
    this.name = 'MissingVariableError';
  }
}

const EXAMPLES = {
  DATABASE_URL: 'postgres://tarsy@localhost:5432/tarsy',
  LLM_SERVICE_ADDR: 'localhost:50051',
  TARSY_KEY: '"$(openssl rand -base64 32)", the same for all',
} as const;

/** Returns the value of a required variable. @throws MissingVariableError */
export function requireVariable(
  command: string,
  variable: keyof typeof EXAMPLES,
  value: string | null,
): string {
  if (value === null) throw new MissingVariableError(command, variable);
  return value;
}
