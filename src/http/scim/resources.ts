import { z } from 'zod';
import type { DirectoryGroup, DirectoryUser, GroupInput, UserInput } from '../../access/directory.ts';
import { problemOfUser } from '../proxy-identity.ts';
import { ScimError } from './errors.ts';

/** Attributes of a resource, as clients send them and as PATCH changes them. */
export type Attributes = Record<string, unknown>;

const CORE = 'urn:ietf:params:scim:schemas:core:2.0';

const MAX_ADDRESSES = 50;
const MAX_MEMBERS = 50_000;

const name = z
  .string()
  .trim()
  .min(1)
  .refine((text) => problemOfUser(text) === null, { error: (issue) => problemOfUser(String(issue.input))! });
const externalId = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .regex(/^\P{C}+$/u)
  .nullish();
// Entra ID sends "True" and "False" unless it is told to follow the standard.
const active = z.preprocess(
  (value) => (typeof value === 'string' ? { true: true, false: false }[value.toLowerCase()] : value),
  z.boolean(),
);
/** Values of an attribute with several values. Complex values such as `{ type, value }` count by their value. */
const values = <Value extends z.ZodType<string>>(value: Value, max: number) =>
  z
    .array(
      z.preprocess((item) => (typeof item === 'object' ? (item as Attributes | null)?.value : item), value),
    )
    .max(max)
    .default([]);

const USER = z.object({
  userName: name,
  externalId,
  emails: values(name, MAX_ADDRESSES),
  active: active.default(true),
});
const GROUP = z.object({
  displayName: name,
  externalId,
  members: values(z.string().max(100), MAX_MEMBERS),
});

/** Reads a user from its attributes; others than these four are ignored. @throws ScimError */
export function readUser(attributes: Attributes): UserInput {
  const { active: isActive, externalId = null, ...user } = parsed(USER, attributes);
  return { ...user, externalId, isActive };
}

/** Reads a group from its attributes. @throws ScimError */
export function readGroup(attributes: Attributes): GroupInput {
  const { externalId = null, ...group } = parsed(GROUP, attributes);
  return { ...group, externalId };
}

function parsed<Schema extends z.ZodType>(schema: Schema, attributes: Attributes): z.output<Schema> {
  const result = schema.safeParse(attributes);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new ScimError(400, `${issue!.path.join('.')}: ${issue!.message}`, 'invalidValue');
}

type Shown = Pick<DirectoryUser, 'id' | 'externalId' | 'createdAt' | 'changedAt'>;

function resource(kind: 'User' | 'Group', { id, externalId, createdAt, changedAt }: Shown, base: string) {
  return {
    schemas: [`${CORE}:${kind}`],
    id,
    ...(externalId !== null && { externalId }),
    meta: {
      ...{ resourceType: kind, location: `${base}/${kind}s/${id}` },
      ...{ created: createdAt.toISOString(), lastModified: changedAt.toISOString() },
    },
  };
}

/** Returns a user as a SCIM resource. @param base address of the endpoint */
export function showUser(user: DirectoryUser, base: string): Attributes {
  const emails = user.emails.map((value, place) => ({ value, primary: place === 0 }));
  return {
    ...resource('User', user, base),
    ...{ userName: user.userName, emails, active: user.endedAt === null },
  };
}

/** Returns a group as a SCIM resource. */
export function showGroup(group: DirectoryGroup, base: string): Attributes {
  const members = group.members.map((value) => ({ value }));
  return { ...resource('Group', group, base), displayName: group.displayName, members };
}
