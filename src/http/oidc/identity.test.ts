import { expect, test } from 'vitest';
import { roleOf } from '../../access/roles.ts';
import type { AccessConfig, OidcConfig } from '../../config/types.ts';
import { identityOf, UnusableClaimsError } from './identity.ts';

const ACCESS = {
  roles: {
    VIEWER: { users: ['*'], groups: [] },
    RESPONDER: { users: [], groups: ['oncall'] },
    ADMIN: { users: ['boss@example.com'], groups: [] },
  },
  teams: null,
  approvers: [],
} as unknown as AccessConfig;
const read = (claims: Record<string, unknown>, userClaim = 'email') =>
  identityOf(claims, { userClaim, groupsClaim: 'groups' } as OidcConfig, ACCESS);
const BOSS = { email: 'boss@example.com' };

test.each([true, 'true', undefined, null])('an address whose verification is %j is accepted', (verified) => {
  expect(roleOf(read({ ...BOSS, email_verified: verified }), ACCESS)).toBe('ADMIN');
});

test.each([false, 'false', 'False', 0, '', 'no', [], {}])(
  'an address whose verification is %j is refused',
  (verified) => {
    expect(() => read({ ...BOSS, email_verified: verified })).toThrow(UnusableClaimsError);
  },
);

test.each(['x\u202e@example.com', 'token:ci', `${'x'.repeat(300)}@example.com`, ['a@example.com'], 7])(
  'an unusable address %j is refused, so that the name does not count as address',
  (email) => {
    expect(() => read({ name: 'boss@example.com', email }, 'name')).toThrow(UnusableClaimsError);
  },
);

test.each([undefined, null, ''])('a user without an address (%j) is known by name and groups', (email) => {
  expect(read({ name: 'ana', email, groups: 'oncall' }, 'name')).toEqual({
    ...{ name: 'ana', email: null, groups: ['oncall'] },
  });
});
