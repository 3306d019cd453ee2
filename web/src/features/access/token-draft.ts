import type { CombinedError } from 'urql';
import { labelsByKey } from '../../components/end-time-field.tsx';
import { errorText } from '../../components/notice.tsx';
import type { CreateApiTokenInput, CreateApiTokenMutation, TokenScope } from '../../graphql/gen/documents.ts';

export const SCOPES: Readonly<Record<TokenScope, { name: string; means: string }>> = {
  READ: { name: 'Read', means: 'read all data that a viewer can see, and /metrics' },
  SUBMIT_ALERTS: {
    name: 'Submit alerts',
    means: 'submit alerts, and send them to sources that accept tokens',
  },
  CHAT: { name: 'Chat', means: 'ask about investigations, stop answers' },
  REVIEW: { name: 'Review', means: 'review, cancel, silence and start investigations' },
  APPROVE: { name: 'Approve', means: 'approve or deny tool calls' },
  ADMIN: { name: 'Admin', means: 'all permissions except Approve and Provision' },
  PROVISION: { name: 'Provision', means: 'end and restore the access of users (SCIM)' },
};
export const ALL_SCOPES = Object.keys(SCOPES) as TokenScope[];

const DAY_MS = 86_400_000;

/** Fixed lifetimes that the form offers, in addition to `until` (a chosen end) and `never`. */
export const LIFETIMES = {
  '7d': { label: '7 days', ms: 7 * DAY_MS },
  '30d': { label: '30 days', ms: 30 * DAY_MS },
  '90d': { label: '90 days', ms: 90 * DAY_MS },
  '365d': { label: '1 year', ms: 365 * DAY_MS },
} as const;
export type Lifetime = keyof typeof LIFETIMES | 'until' | 'never';

export const LIFETIME_NAMES = {
  ...labelsByKey(LIFETIMES),
  until: 'Until…',
  never: 'No expiry',
} satisfies Record<Lifetime, string>;

export interface TokenDraft {
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  /** Team of the token; '' = no team. */
  readonly team: string;
  readonly lifetime: Lifetime;
  /** Chosen expiry (RFC 3339, UTC), used if `lifetime` is `until`; `null` if not chosen yet. */
  readonly until: string | null;
  /** True if the token outlives the access of its creator. */
  readonly isService: boolean;
}

export const EMPTY_DRAFT: TokenDraft = {
  ...{ name: '', scopes: ['READ'], team: '', lifetime: '90d', until: null },
  isService: false,
};

/** Error messages by field; `form` holds errors that belong to no field. */
export type TokenErrors = Partial<Record<'name' | 'scopes' | 'team' | 'end' | 'form', string>>;

/** Returns the mutation's input, or errors for missing values. `now` is the server's time (ms). */
export function tokenInput(draft: TokenDraft, now: number): CreateApiTokenInput | TokenErrors {
  const { name, scopes, team, lifetime, until, isService } = draft;
  const errors: TokenErrors = {
    ...(name.trim() === '' && { name: 'Enter a name.' }),
    ...(scopes.length === 0 && { scopes: 'Choose at least one permission.' }),
    ...(lifetime === 'until' && until === null && { end: 'Choose an expiry date.' }),
  };
  if (Object.keys(errors).length > 0) return errors;
  const expiresAt = endOf(lifetime, until, now);
  return {
    ...{ name: name.trim(), scopes: [...scopes], expiresAt, service: isService },
    team: team.trim() === '' ? null : team.trim(),
  };
}

export function isInput(input: CreateApiTokenInput | TokenErrors): input is CreateApiTokenInput {
  return 'expiresAt' in input;
}

const FIELDS: Readonly<Record<string, keyof TokenErrors>> = {
  name: 'name',
  scopes: 'scopes',
  team: 'team',
  expiresAt: 'end',
};

export function tokenErrors(
  outcome: CreateApiTokenMutation['createApiToken'] | undefined,
  error: CombinedError | undefined,
): TokenErrors {
  if (outcome === undefined || outcome.__typename === 'CreateApiTokenSuccess')
    return {
      form: error === undefined ? 'Unexpected response from the server.' : errorText(error),
    };
  const field = outcome.__typename === 'ValidationError' ? FIELDS[outcome.field ?? ''] : undefined;
  return { [field ?? 'form']: outcome.message };
}

function endOf(lifetime: Lifetime, until: string | null, now: number): string | null {
  if (lifetime === 'never') return null;
  return lifetime === 'until' ? until : new Date(now + LIFETIMES[lifetime].ms).toISOString();
}
