import { namedGroups } from '../../access/roles.ts';
import type { Identity } from '../../access/viewer.ts';
import type { AccessConfig, OidcConfig } from '../../config/types.ts';
import { MAX_GROUPS, problemOfName } from '../proxy-identity.ts';
import type { Claims } from './provider.ts';

/** The provider does not say who somebody is in a way that can be used; the message is for them. */
export class UnusableClaimsError extends Error {}

/**
 * Who somebody is as the provider says. Of their groups only those that the configuration names: a directory has hundreds,
 * a cookie room for few.
 * @throws UnusableClaimsError
 */
export function identityOf(
  claims: Claims,
  { userClaim, groupsClaim }: OidcConfig,
  access: AccessConfig,
): Identity {
  const name = claims[userClaim];
  if (typeof name !== 'string' || name.trim() === '')
    throw new UnusableClaimsError(`the provider gives no claim "${userClaim}" to name you by`);
  const problem = problemOfName(name);
  if (problem !== null) throw new UnusableClaimsError(`your name at the provider ${problem}`);
  const email =
    typeof claims.email === 'string' && problemOfName(claims.email) === null ? claims.email : null;
  // An address that is nobody's yet must not become somebody's role.
  if (claims.email_verified === false)
    throw new UnusableClaimsError('the provider has not verified your address');
  const known = namedGroups(access);
  return {
    name,
    email,
    groups: groupsIn(claims[groupsClaim]).filter((group) => known.has(group)),
  };
}

function groupsIn(claim: unknown): string[] {
  const all = typeof claim === 'string' ? [claim] : Array.isArray(claim) ? claim : [];
  const groups = all.filter((group) => typeof group === 'string');
  if (groups.length > MAX_GROUPS * 10) throw new UnusableClaimsError('the provider names too many groups');
  return [...new Set(groups)];
}
