import type { IncomingMessage } from 'node:http';
import type { Viewer } from '../schema/context.ts';

/** The headers in which one kind of proxy says who a request is from. */
interface HeaderFamily {
  /** The first that is there names the user. */
  readonly user: readonly string[];
  /** With the character that separates several groups in one header; null = each header is one group. */
  readonly groups: Readonly<Record<string, string | null>>;
}

/** In the order in which they count: oauth2-proxy, the same asked by nginx (auth_request), kube-rbac-proxy. */
const FAMILIES: readonly HeaderFamily[] = [
  { user: ['x-forwarded-user', 'x-forwarded-email'], groups: { 'x-forwarded-groups': ',' } },
  { user: ['x-auth-request-user', 'x-auth-request-email'], groups: { 'x-auth-request-groups': ',' } },
  { user: ['x-remote-user'], groups: { 'x-remote-group': null, 'x-remote-groups': '|' } },
];

/** Characters of a user's or a group's name. */
const MAX_NAME_LENGTH = 200;

/** Groups of one user. Kubernetes gives a handful, directories up to some hundreds. */
const MAX_GROUPS = 500;

/** Control characters, and those that turn the direction of text: a name is shown to people. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/u;

/** Who a request is from as its headers say, and why that cannot be told. */
export type Claim =
  | { readonly kind: 'user'; readonly viewer: Viewer }
  | { readonly kind: 'nobody' }
  | { readonly kind: 'unusable'; readonly problem: string };

/** Reads the identity headers of a request that comes from a trusted proxy. */
export function readIdentity(req: IncomingMessage): Claim {
  try {
    const claims = FAMILIES.flatMap((family) => readFamily(req, family) ?? []);
    const [viewer] = claims;
    if (viewer === undefined) return { kind: 'nobody' };
    // A proxy sets or strips its own headers only; those of another came from the client.
    if (claims.some(({ name }) => name !== viewer.name)) return unusable('headers name different users');
    return { kind: 'user', viewer };
  } catch (error) {
    if (error instanceof UnusableName) return unusable(error.message);
    throw error;
  }
}

class UnusableName extends Error {}

function unusable(problem: string): Claim {
  return { kind: 'unusable', problem };
}

function readFamily(req: IncomingMessage, family: HeaderFamily): Viewer | null {
  for (const header of family.user) {
    const values = valuesOf(req, header);
    if (values.length > 1) throw new UnusableName(`${header} is there more than once`);
    const [name] = values;
    if (name !== undefined) return { name: checked(header, name), groups: readGroups(req, family) };
  }
  return null;
}

function readGroups(req: IncomingMessage, family: HeaderFamily): string[] {
  const groups = Object.entries(family.groups).flatMap(([header, separator]) =>
    valuesOf(req, header)
      .flatMap((value) => (separator === null ? value : value.split(separator)))
      .map((group) => group.trim())
      .filter((group) => group !== '')
      .map((group) => checked(header, group)),
  );
  if (groups.length > MAX_GROUPS) throw new UnusableName(`there are more than ${MAX_GROUPS} groups`);
  return [...new Set(groups)];
}

/** Values of a header, each as it was sent: `headers` would join them. Empty ones say nothing. */
function valuesOf(req: IncomingMessage, header: string): string[] {
  const values = req.headersDistinct[header] ?? [];
  return values.map((value) => decoded(header, value).trim()).filter((value) => value !== '');
}

/** Node reads headers as Latin-1; proxies write UTF-8. */
function decoded(header: string, value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    throw new UnusableName(`${header} is not UTF-8`);
  }
}

function checked(header: string, name: string): string {
  if (name.length > MAX_NAME_LENGTH) throw new UnusableName(`${header} is too long`);
  if (UNPRINTABLE.test(name)) throw new UnusableName(`${header} has characters that cannot be shown`);
  return name;
}
