import { z } from 'zod';
import { agentToolPattern, ENTRY_NAME, list, namedEntries } from './common.ts';
import { mapping, settings } from './settings.ts';

const member = (description: string) => z.string().min(1).max(200).describe(description);

const members = (what: string) =>
  z
    .strictObject({
      users: list(
        member('Name or address'),
        'Users by name, or by e-mail address if it contains an @; * stands for every authenticated user',
      ).prefault([]),
      groups: list(
        member('Name of a group'),
        'Groups by the name that the proxy or OpenID provider reports',
      ).prefault([]),
    })
    .describe(what)
    .prefault({});

const roleKeys = z.strictObject({
  viewer: members('Users who may read'),
  responder: members('Users who may also submit, cancel, ask questions, silence and investigate groups'),
  admin: members('Users who may also view and change access settings'),
});

const roles = settings(roleKeys, [
  'admin',
  ({ admin }) =>
    admin !== undefined && admin.users.length + admin.groups.length === 0
      ? 'needs a user or a group: otherwise no user could change access settings'
      : null,
])
  .describe('Members of each role; a user has the highest matching one. Default: every user is admin')
  .transform(({ viewer, responder, admin }) => ({ VIEWER: viewer, RESPONDER: responder, ADMIN: admin }));

const teams = namedEntries(
  ENTRY_NAME,
  members('Members of the team'),
  'Teams by name; users other than admins see what belongs to their teams or to no team. Default: every user sees everything',
).transform((written) => (Object.keys(written).length === 0 ? null : written));

const approver = mapping({
  users: list(
    member('Name or address'),
    'Users, as in roles; token:<name> is an API token, which also needs the scope APPROVE',
  ).prefault([]),
  groups: list(member('Name of a group'), 'Groups, as in roles').prefault([]),
  tools: list(agentToolPattern, 'Tools whose calls they may approve, as server.tool; * stands for any text')
    .min(1)
    .prefault(['*.*']),
});

export const accessSchema = mapping({
  roles: roles.optional(),
  teams,
  approvers: list(
    approver,
    'Responders and admins who may approve tool calls; an entry gives no role. Default: all of them',
  ).prefault([]),
}).describe('Permissions of users');
