import { z } from 'zod';
import { agentToolPattern, ENTRY_NAME, namedEntries, withRules } from './common.ts';
import { settings } from './settings.ts';

const member = (description: string) => z.string().min(1).max(200).describe(description);

const members = (what: string) =>
  z
    .strictObject({
      users: z
        .array(member('Name or address'))
        .describe(
          'Users by name, or by e-mail address if it contains an @; * stands for every authenticated user',
        )
        .prefault([]),
      groups: z
        .array(member('Name of a group'))
        .describe('Groups by the name that the proxy or OpenID provider reports')
        .prefault([]),
    })
    .describe(what)
    .prefault({});

const roleKeys = z.strictObject({
  viewer: members('Users who may read'),
  responder: members('Users who may also submit, cancel, ask questions, silence and investigate groups'),
  admin: members('Users who may also view and change access settings'),
});

const roles = withRules(roleKeys, [
  'admin',
  ({ admin }) =>
    admin !== undefined && admin.users.length + admin.groups.length === 0
      ? 'needs a user or a group: nobody could change what concerns access'
      : null,
])
  .describe('Members of each role; a user has the highest matching one. Default: every user is admin')
  .transform(({ viewer, responder, admin }) => ({ VIEWER: viewer, RESPONDER: responder, ADMIN: admin }));

const teams = namedEntries(
  ENTRY_NAME,
  members('Members of the team'),
  'Teams by name; users other than admins see what belongs to their teams or to no team. Default: every user sees everything',
).transform((written) => (Object.keys(written).length === 0 ? null : written));

const approver = settings(
  z.strictObject({
    users: z
      .array(member('Name or address'))
      .describe('Users, as in roles; token:<name> is an API token, which also needs the scope APPROVE')
      .prefault([]),
    groups: z.array(member('Name of a group')).describe('Groups, as in roles').prefault([]),
    tools: z
      .array(agentToolPattern)
      .min(1)
      .describe('Tools whose calls they may approve, as server.tool; * stands for any text')
      .prefault(['*.*']),
  }),
);

/** The section `access`: permissions of authenticated users. */
export const accessSchema = settings(
  z
    .strictObject({
      roles: roles.optional(),
      teams,
      approvers: z
        .array(approver)
        .describe('Responders and admins who may approve tool calls; default: all of them')
        .prefault([]),
    })
    .describe('Permissions of users'),
);
