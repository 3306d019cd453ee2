import { describe, expect, it } from 'vitest';
import { ScimError } from './errors.ts';
import { patched } from './patch.ts';
import { readFilter } from './query.ts';
import { readUser } from './resources.ts';

const ANA = { userName: 'ana@x.example', active: true, emails: [{ value: 'ana@x.example', type: 'work' }] };
const TEAM = { displayName: 'oncall', members: [{ value: 'u1' }, { value: 'u2' }] };
/** Returns a request of one operation as it arrives: without members that are undefined. */
const one = (op: string, path?: string, value?: unknown) =>
  JSON.parse(JSON.stringify({ Operations: [{ op, path, value }] })) as object;

describe('a PATCH of a user', () => {
  it.each([
    ['Okta', one('replace', undefined, { active: false })],
    ['Entra ID', one('Replace', 'active', 'False')],
    ['Entra ID, by the standard', one('Replace', 'active', false)],
    ['another one', one('replace', 'urn:ietf:params:scim:schemas:core:2.0:User:active', false)],
  ])('ends the access as %s asks for it', (_provider, body) => {
    expect(readUser(patched(ANA, body))).toMatchObject({ userName: 'ana@x.example', isActive: false });
  });

  it('restores the access', () => {
    const ended = { ...ANA, active: false };
    expect(readUser(patched(ended, one('replace', undefined, { active: true }))).isActive).toBe(true);
    expect(readUser(patched(ended, one('Replace', 'active', 'True'))).isActive).toBe(true);
  });

  it('keeps an address when another one is set, and ignores what TARSy does not keep', () => {
    const body = {
      Operations: [
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'ana@y.example' },
        { op: 'Add', path: 'name.givenName', value: 'Ana' },
        { op: 'Add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager', value: 'x' },
        { op: 'add', path: '__proto__.polluted', value: 'x' },
        { op: 'replace', value: { userName: 'ana', title: 'Dr.' } },
      ],
    };
    expect(readUser(patched(ANA, body))).toEqual({
      ...{ userName: 'ana', externalId: null, emails: ['ana@x.example', 'ana@y.example'], isActive: true },
    });
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });

  it.each([
    [one('jump', 'active', false)],
    [one('replace', undefined, 'false')],
    [one('remove')],
    [{ Operations: [] }],
    [{}],
  ])('refuses %j', (body) => {
    expect(() => patched(ANA, body)).toThrow(ScimError);
  });

  it.each([
    [{ active: 'perhaps' }],
    [{ userName: '' }],
    [{ userName: 'token:ci' }],
    [{ emails: [{ value: 'a\u202eb@x.example' }] }],
  ])('refuses the value %j', (value) => {
    expect(() => readUser(patched(ANA, one('replace', undefined, value)))).toThrow(ScimError);
  });
});

describe('a PATCH of a group', () => {
  it.each([
    [one('add', 'members', [{ value: 'u3' }]), ['u1', 'u2', 'u3']],
    [one('Add', 'members', [{ value: 'u2' }]), ['u1', 'u2']],
    [one('remove', 'members[value eq "u1"]'), ['u2']],
    [one('Remove', 'members', [{ value: 'u2' }]), ['u1']],
    [one('remove', 'members'), []],
    [one('replace', 'members', [{ value: 'u9', display: 'Bo' }]), ['u9']],
    [one('remove', 'members[display eq "Bo"]'), ['u1', 'u2']],
  ])('%j changes the members', (body, members) => {
    const after = patched(TEAM, body).members as (string | { value: string })[];
    expect(after.map((member) => (typeof member === 'string' ? member : member.value))).toEqual(members);
  });
});

describe('a filter', () => {
  it.each([
    ['Users', 'userName eq "Ana \\"A\\""', { by: 'name', value: 'Ana "A"' }],
    ['Users', 'username EQ "ana"', { by: 'name', value: 'ana' }],
    ['Users', 'emails.value eq "a@x"', { by: 'email', value: 'a@x' }],
    ['Users', 'active eq false', { isActive: false }],
    ['Groups', 'displayName eq "oncall"', { by: 'name', value: 'oncall' }],
    ['Groups', null, null],
  ] as const)('of %s: %s', (kind, filter, wanted) => {
    expect(readFilter(kind, filter)).toEqual(wanted);
  });

  it.each([
    'userName co "a"',
    'userName eq "a" or active eq true',
    'constructor eq "a"',
    'displayName eq "a"',
  ])('refuses %s', (filter) => {
    expect(() => readFilter('Users', filter)).toThrow(ScimError);
  });
});
