import type { CombinedError } from 'urql';
import type { SubmitAlertMutation } from '../../graphql/gen/documents.ts';
import { SignedOutError } from '../../graphql/sign-in.ts';
import { formatBytes } from '../../lib/format.ts';

const FIELDS = ['data', 'alertType', 'runbookUrl', 'team', 'mcp'] as const;
type Field = (typeof FIELDS)[number];
/** What is wrong, by the field it is wrong with; `form` is for everything else. */
export type FieldErrors = Partial<Record<Field | 'form', string>>;
type Outcome = SubmitAlertMutation['submitAlert'];

/** Puts a refusal next to the field it is about. */
export function fieldErrors(outcome: Outcome | undefined, error: CombinedError | undefined): FieldErrors {
  switch (outcome?.__typename) {
    case 'ValidationError':
      return { [fieldOf(outcome.field)]: outcome.message };
    case 'AlertTooLargeError': {
      const { actualBytes, maxBytes } = outcome;
      // Exact on one side: "1 MiB of at most 1 MiB" would help nobody who is one byte over.
      const actual = actualBytes.toLocaleString('en');
      return { data: `The alert has ${actual} bytes; at most ${formatBytes(maxBytes)} are taken.` };
    }
    case 'ShuttingDownError':
      return { form: 'The server is restarting. Try again in a moment; what you typed is kept.' };
    case 'TooManyAlertsError':
    case 'ForbiddenError':
      return { form: `${outcome.message} What you typed is kept.` };
    default:
      return { form: failure(error) };
  }
}

function failure(error: CombinedError | undefined): string {
  if (error?.networkError instanceof SignedOutError)
    return `${error.networkError.message} Nothing was submitted.`;
  if (error?.networkError) return 'The server does not answer. Nothing was submitted.';
  return error?.graphQLErrors[0]?.message ?? 'The server gave no answer that this page understands.';
}

/** A server names the field with its path, e.g. `input.runbookUrl` or `mcp.servers.0.name`. */
function fieldOf(path: string | null): Field | 'form' {
  const steps = path?.split('.') ?? [];
  return FIELDS.find((field) => steps.includes(field)) ?? 'form';
}
