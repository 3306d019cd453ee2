import { describe, expect, it } from 'vitest';
import type { RoleMembers } from '../config/types.ts';
import { rightsOfRole } from './rights.ts';
import { roleOf } from './roles.ts';

const members = (users: string[], groups: string[] = []): RoleMembers => ({ users, groups });
const ROLES = {
  VIEWER: members(['*']),
  RESPONDER: members(['bo'], ['oncall', 'sre']),
  ADMIN: members(['ada@example.com', 'cy'], ['platform']),
};

describe('the role', () => {
  it.each([
    ['ana', null, [], 'VIEWER'],
    ['bo', null, [], 'RESPONDER'],
    ['Bo', null, [], 'VIEWER'],
    ['ana', null, ['oncall'], 'RESPONDER'],
    ['ana', null, ['ONCALL'], 'VIEWER'],
    ['ana', null, ['oncall', 'platform'], 'ADMIN'],
    ['bo', null, ['platform'], 'ADMIN'],
    ['ana', 'Ada@Example.com', [], 'ADMIN'],
    ['ada@example.com', null, [], 'ADMIN'],
    ['ada@example.com', 'mallory@example.com', [], 'VIEWER'], // a name that looks like the address of another
    ['cy', 'cy@example.com', [], 'ADMIN'],
    ['dee', 'cy', [], 'VIEWER'],
    ['dee', null, ['bo', 'cy', 'ada@example.com'], 'VIEWER'],
  ] as const)('of %s (%s) in %j is the highest that fits', (name, email, groups, role) => {
    expect(roleOf({ name, email, groups }, { roles: ROLES })).toBe(role);
  });

  it('is none where nothing fits', () => {
    const roles = { ...ROLES, VIEWER: members(['eve']) };
    expect(roleOf({ name: 'ana', email: null, groups: [] }, { roles })).toBeNull();
    expect(rightsOfRole(null).size).toBe(0);
  });

  it('is the highest for everybody until roles are configured', () => {
    expect(roleOf({ name: 'ana', email: null, groups: [] }, { roles: null })).toBe('ADMIN');
  });
});
