import type { CombinedError } from 'urql';
import type { SubmitAlertMutation } from '../../graphql/gen/documents.ts';
import { SignedOutError } from '../../graphql/sign-in.ts';
import { formatBytes } from '../../lib/format.ts';

const FIELDS = ['data', 'alertType', 'runbookUrl', 'team', 'mcp'] as const;
type Field = (typeof FIELDS)[number];
/** Error messages by field; `form` holds errors that belong to no field. */
export type FieldErrors = Partial<Record<Field | 'form', string>>;
type Outcome = SubmitAlertMutation['submitAlert'];

export function fieldErrors(outcome: Outcome | undefined, error: CombinedError | undefined): FieldErrors {
  switch (outcome?.__typename) {
    case 'ValidationError':
      return { [fieldOf(outcome.field)]: outcome.message };
    case 'AlertTooLargeError': {
      const { actualBytes, maxBytes } = outcome;
      // The size is in bytes, because a rounded size such as "1 MiB of at most 1 MiB" would not help.
      const actual = actualBytes.toLocaleString('en');
      return { data: `The alert is too large: ${actual} bytes. Maximum ${formatBytes(maxBytes)}.` };
    }
    case 'ShuttingDownError':
      return { form: 'The server is restarting. Try again in a moment. Your input is kept.' };
    case 'TooManyAlertsError':
    case 'ForbiddenError':
      return { form: `${outcome.message} Your input is kept.` };
    default:
      return { form: failure(error) };
  }
}

function failure(error: CombinedError | undefined): string {
  if (error?.networkError instanceof SignedOutError)
    return `${error.networkError.message} The alert was not submitted.`;
  if (error?.networkError) return 'The server is not responding. The alert was not submitted.';
  return error?.graphQLErrors[0]?.message ?? 'Unexpected response from the server.';
}

/** Returns the field in a path such as `input.runbookUrl` or `mcp.servers.0.name`; `form` if there is none. */
function fieldOf(path: string | null): Field | 'form' {
  const steps = path?.split('.') ?? [];
  return FIELDS.find((field) => steps.includes(field)) ?? 'form';
}
