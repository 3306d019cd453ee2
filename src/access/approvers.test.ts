import { expect, test } from 'vitest';
import type { AccessConfig } from '../config/types.ts';
import type { TokenScope } from '../db/enums.ts';
import { entriesNaming, entriesNamingToken, mayApprove } from './approvers.ts';
import { rightsOfRole, rightsOfScopes } from './rights.ts';
import type { Viewer } from './viewer.ts';

const APPROVERS: AccessConfig['approvers'] = [
  { users: ['ana'], groups: [], tools: ['k8s.*'] },
  { users: ['token:bot'], groups: ['dba'], tools: ['db.restart', 'db.kill_*'] },
];
const user = (name: string, role: 'VIEWER' | 'RESPONDER' | 'ADMIN', groups: string[] = []) => {
  const approves = entriesNaming({ name, email: null, groups }, { approvers: APPROVERS });
  return { rights: rightsOfRole(role), approves } as unknown as Viewer;
};
const token = (name: string, scopes: readonly TokenScope[]) => {
  const approves = entriesNamingToken(name, { approvers: APPROVERS });
  return { rights: rightsOfScopes(scopes), approves } as unknown as Viewer;
};

test.each<[who: string, viewer: Viewer, tool: string, open: boolean, named: boolean]>([
  ['a viewer', user('ana', 'VIEWER'), 'k8s.delete', false, false],
  ['a responder who is named', user('ana', 'RESPONDER'), 'k8s.delete', true, true],
  ['… for another server', user('ana', 'RESPONDER'), 'db.restart', true, false],
  ['a responder of a group', user('bo', 'RESPONDER', ['dba']), 'db.kill_query', true, true],
  ['… for another tool', user('bo', 'RESPONDER', ['dba']), 'db.drop', true, false],
  ['an admin who is not named', user('cy', 'ADMIN'), 'k8s.delete', true, false],
  ['nobody in particular', user('', 'ADMIN'), 'k8s.delete', true, false],
  ['a user with the name of a token', user('token:bot', 'ADMIN'), 'db.restart', true, false],
  ['a token with the scope', token('token:ci', ['APPROVE']), 'db.restart', true, false],
  ['… that is named', token('token:bot', ['APPROVE']), 'db.restart', true, true],
  ['a token of an admin', token('token:bot', ['ADMIN']), 'db.restart', false, false],
  ['a token that reviews', token('token:bot', ['READ', 'REVIEW']), 'db.restart', false, false],
])('%s: %#', (_, who, name, open, named) => {
  const [server, tool] = name.split('.') as [string, string];
  expect(mayApprove(who, { server, tool }, { approvers: [] })).toBe(open);
  expect(mayApprove(who, { server, tool }, { approvers: APPROVERS })).toBe(named);
});
