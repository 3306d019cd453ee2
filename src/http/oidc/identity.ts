import { namedGroups } from '../../access/roles.ts';
import type { Identity } from '../../access/viewer.ts';
import type { AccessConfig, OidcConfig } from '../../config/types.ts';
import { MAX_GROUPS, problemOfUser } from '../proxy-identity.ts';
import type { Claims } from './provider.ts';

/** Thrown when the provider's claims do not identify a user. The message is shown to that user. */
export class UnusableClaimsError extends Error {}

/** Returns the claimed user. Only configured groups are kept, because a cookie is small. @throws UnusableClaimsError */
export function identityOf(
  claims: Claims,
  { userClaim, groupsClaim }: OidcConfig,
  access: AccessConfig,
): Identity {
  const name = claims[userClaim];
  if (typeof name !== 'string' || name.trim() === '')
    throw new UnusableClaimsError(`the provider sends no claim "${userClaim}" with your name`);
  const problem = problemOfUser(name);
  if (problem !== null) throw new UnusableClaimsError(`your name at the provider ${problem}`);
  // An unverified email address must not grant a role. Some providers send the truth values as text.
  if (!VERIFIED.has(claims.email_verified))
    throw new UnusableClaimsError('the provider has not verified your e-mail address');
  const known = namedGroups(access);
  const groups = groupsIn(claims[groupsClaim]).filter((group) => known.has(group));
  return { name, email: emailIn(claims.email), groups };
}

/** Values of `email_verified` with which an address counts. Providers without verification of their own omit the claim. */
const VERIFIED: ReadonlySet<unknown> = new Set([undefined, null, true, 'true']);

/** Returns the address, `null` if there is none. Refuses others, because without an address the name would count as one. */
function emailIn(claim: unknown): string | null {
  if (claim === undefined || claim === null || claim === '') return null;
  const problem = typeof claim === 'string' ? problemOfUser(claim) : 'is not a text';
  if (problem !== null) throw new UnusableClaimsError(`your e-mail address at the provider ${problem}`);
  return claim as string;
}

function groupsIn(claim: unknown): string[] {
  const all = typeof claim === 'string' ? [claim] : Array.isArray(claim) ? claim : [];
  const groups = all.filter((group) => typeof group === 'string');
  if (groups.length > MAX_GROUPS * 10) throw new UnusableClaimsError('the provider reports too many groups');
  return [...new Set(groups)];
}
