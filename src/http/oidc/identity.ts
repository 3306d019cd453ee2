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
  const email =
    typeof claims.email === 'string' && problemOfUser(claims.email) === null ? claims.email : null;
  // An unverified email address must not grant a role.
  if (claims.email_verified === false)
    throw new UnusableClaimsError('the provider has not verified your e-mail address');
  const known = namedGroups(access);
  return { name, email, groups: groupsIn(claims[groupsClaim]).filter((group) => known.has(group)) };
}

function groupsIn(claim: unknown): string[] {
  const all = typeof claim === 'string' ? [claim] : Array.isArray(claim) ? claim : [];
  const groups = all.filter((group) => typeof group === 'string');
  if (groups.length > MAX_GROUPS * 10) throw new UnusableClaimsError('the provider reports too many groups');
  return [...new Set(groups)];
}
