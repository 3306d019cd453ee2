import { z } from 'zod';
import { ScimError } from './errors.ts';
import type { Attributes } from './resources.ts';

const OPERATIONS = z.object({
  Operations: z
    .array(
      z.object({
        // Entra ID capitalizes the names of operations.
        op: z
          .string()
          .toLowerCase()
          .pipe(z.enum(['add', 'replace', 'remove'])),
        path: z.string().optional(),
        value: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(1_000),
});
type Operation = z.output<typeof OPERATIONS>['Operations'][number];

const SINGLE = ['userName', 'externalId', 'active', 'displayName'] as const;
const MULTIPLE = ['emails', 'members'] as const;
const PATH =
  /^(?:urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):)?(\w+)(?:\[(?<filter>.*)\])?(?:\.value)?$/i;
const BY_VALUE = /^\s*value\s+eq\s+"([^"]*)"\s*$/i;

/**
 * Returns the attributes after the operations of a PATCH request (RFC 7644, 3.5.2). Attributes that TARSy does not keep are
 * ignored. An address of a type (`emails[type eq "work"].value`) is added to the others, because types are not kept.
 * @throws ScimError
 */
export function patched(before: Attributes, body: unknown): Attributes {
  const { data } = OPERATIONS.safeParse(body);
  if (data === undefined)
    throw new ScimError(
      400,
      'Send Operations with op (add, replace or remove), path and value.',
      'invalidSyntax',
    );
  return data.Operations.reduce(apply, before);
}

function apply(attributes: Attributes, { op, path, value }: Operation): Attributes {
  if (path !== undefined) return change(attributes, { op, path, value });
  if (typeof value !== 'object' || value === null || op === 'remove')
    throw new ScimError(400, 'An operation without a path needs an object as its value.', 'invalidSyntax');
  return Object.entries(value).reduce(
    (now, [key, part]) => change(now, { op, path: key, value: part }),
    attributes,
  );
}

function change(attributes: Attributes, { op, path, value }: Operation & { path: string }): Attributes {
  const match = PATH.exec(path);
  const asked = match?.[1]?.toLowerCase();
  const filter = match?.groups?.filter;
  const single = SINGLE.find((name) => name.toLowerCase() === asked);
  if (single !== undefined && filter === undefined)
    return { ...attributes, [single]: op === 'remove' ? undefined : value };
  const multiple = MULTIPLE.find((name) => name.toLowerCase() === asked);
  if (multiple === undefined) return attributes;
  const held = valuesOf(attributes[multiple]);
  return { ...attributes, [multiple]: changedValues(held, { op, filter, given: valuesOf(value) }) };
}

function changedValues(
  held: readonly string[],
  { op, filter, given }: { op: Operation['op']; filter: string | undefined; given: readonly string[] },
): readonly string[] {
  const named = filter === undefined ? undefined : BY_VALUE.exec(filter)?.[1];
  if (op === 'remove') {
    if (filter === undefined && given.length === 0) return [];
    const removed = named === undefined ? given : [named];
    return held.filter((value) => !removed.includes(value));
  }
  return op === 'replace' && filter === undefined ? given : [...new Set([...held, ...given])];
}

/** Returns the values of an attribute, which come as texts or as objects with `value`, one or several. */
function valuesOf(value: unknown): string[] {
  const all = Array.isArray(value) ? value : [value];
  return all.flatMap((item) => {
    const text = typeof item === 'object' && item !== null ? (item as Attributes).value : item;
    return typeof text === 'string' ? [text] : [];
  });
}
