import { z } from 'zod';
import { agentToolPattern, ENTRY_NAME, namedEntries, withRules } from './common.ts';
import { settings } from './settings.ts';

const member = (description: string) => z.string().min(1).max(200).describe(description);

const members = (what: string) =>
  z
    .strictObject({
      users: z
        .array(member('Name or address'))
        .describe('Users by name or, with an @, by address; * stands for everybody who signs in')
        .prefault([]),
      groups: z.array(member('Name of a group')).describe('Groups, as the proxy names them').prefault([]),
    })
    .describe(what)
    .prefault({});

const roleKeys = z.strictObject({
  viewer: members('Who reads'),
  responder: members('Who also submits, cancels, asks, silences and investigates groups'),
  admin: members('Who may also look at and change what concerns access'),
});

const roles = withRules(roleKeys, [
  'admin',
  ({ admin }) =>
    admin !== undefined && admin.users.length + admin.groups.length === 0
      ? 'needs a user or a group: nobody could change what concerns access'
      : null,
])
  .describe('Who has which role, the highest of those that fit; default: everybody is admin')
  .transform(({ viewer, responder, admin }) => ({ VIEWER: viewer, RESPONDER: responder, ADMIN: admin }));

const teams = namedEntries(
  ENTRY_NAME,
  members('Who is in the team'),
  'Teams: who is no admin sees what is of a team of theirs, and what is of no team; default: everybody sees everything',
).transform((written) => (Object.keys(written).length === 0 ? null : written));

const approver = settings(
  z.strictObject({
    users: z
      .array(member('Name or address'))
      .describe('Users, as in roles; token:<name> is an API token, which needs the scope APPROVE besides')
      .prefault([]),
    groups: z.array(member('Name of a group')).describe('Groups, as in roles').prefault([]),
    tools: z
      .array(agentToolPattern)
      .min(1)
      .describe('Tools on whose calls they decide, as server.tool; * stands for any text')
      .prefault(['*.*']),
  }),
);

/** Who of those that get in may see and do what. */
export const accessSchema = settings(
  z
    .strictObject({
      roles: roles.optional(),
      teams,
      approvers: z
        .array(approver)
        .describe('Who of responders and admins decides on calls that wait for people; default: all of them')
        .prefault([]),
    })
    .describe('What users may see and do'),
);
