import { describe, expect, it } from 'vitest';
import type { Members } from '../config/types.ts';
import { viewerOfToken } from './create-viewer.ts';
import { rightsOfRole } from './rights.ts';
import { namedGroups, roleOf, teamsOf } from './roles.ts';

const members = (users: string[], groups: string[] = []): Members => ({ users, groups });
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
    expect(roleOf({ name, email, groups }, { roles: ROLES, teams: null, approvers: [] })).toBe(role);
  });

  it('is none if no entry matches', () => {
    const roles = { ...ROLES, VIEWER: members(['eve']) };
    expect(
      roleOf({ name: 'ana', email: null, groups: [] }, { roles, teams: null, approvers: [] }),
    ).toBeNull();
    expect(rightsOfRole(null).size).toBe(0);
  });

  it('is ADMIN for every user until roles are configured', () => {
    expect(
      roleOf({ name: 'ana', email: null, groups: [] }, { roles: null, teams: null, approvers: [] }),
    ).toBe('ADMIN');
  });
});

describe('the teams', () => {
  const teams = { shop: members(['bo'], ['shop']), pay: members([], ['pay', 'oncall']), idle: members([]) };
  const of = (name: string, groups: string[], role: 'VIEWER' | 'ADMIN') =>
    teamsOf({ name, email: null, groups }, role, { roles: ROLES, teams, approvers: [] });

  it('are those that name the user or one of their groups; an admin sees every team', () => {
    expect(of('bo', ['oncall'], 'VIEWER')).toEqual(['shop', 'pay']);
    expect(of('dee', ['SHOP'], 'VIEWER')).toEqual([]);
    expect(of('dee', [], 'ADMIN')).toBeNull();
    expect(
      teamsOf({ name: 'bo', email: null, groups: [] }, 'VIEWER', {
        roles: ROLES,
        teams: null,
        approvers: [],
      }),
    ).toBeNull();
  });

  it.each([
    ['ADMIN', null, null],
    ['READ', null, []],
    ['READ', '*', null],
    ['READ', 'shop', ['shop']],
  ] as const)('of a token with the scope %s and the team %s are %j', (scope, team, seen) => {
    const token = { id: '1', name: 'ci', scopes: [scope], team, expiresAt: null };
    expect(viewerOfToken(token, { roles: ROLES, teams, approvers: [] }, null).teams).toEqual(seen);
  });

  it('count among the named groups, as roles do', () => {
    expect([...namedGroups({ roles: ROLES, teams, approvers: [] })].sort()).toEqual([
      ...['oncall', 'pay', 'platform', 'shop', 'sre'],
    ]);
  });
});
