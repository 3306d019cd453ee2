import type { IncomingMessage } from 'node:http';
import type { Identity } from '../access/viewer.ts';
import type { IdentityHeaders } from '../config/enums.ts';

/** The headers in which one kind of proxy says who a request is from. */
interface HeaderFamily {
  /** The first that is there names the user. */
  readonly user: readonly string[];
  /** Holds their address; null = the proxy tells none. */
  readonly email: string | null;
  /** With the character that separates several groups in one header; null = each header is one group. */
  readonly groups: Readonly<Record<string, string | null>>;
}

/** Those of oauth2-proxy, of the same asked by nginx (auth_request), of kube-rbac-proxy. */
const FAMILIES: Readonly<Record<IdentityHeaders, HeaderFamily>> = {
  'x-forwarded': {
    user: ['x-forwarded-user', 'x-forwarded-email'],
    email: 'x-forwarded-email',
    groups: { 'x-forwarded-groups': ',' },
  },
  'x-auth-request': {
    user: ['x-auth-request-user', 'x-auth-request-email'],
    email: 'x-auth-request-email',
    groups: { 'x-auth-request-groups': ',' },
  },
  'x-remote': {
    user: ['x-remote-user'],
    email: null,
    groups: { 'x-remote-group': null, 'x-remote-groups': '|' },
  },
};

/** Characters of a user's or a group's name. */
const MAX_NAME_LENGTH = 200;

/** Groups of one user. Kubernetes gives a handful, directories up to some hundreds. */
export const MAX_GROUPS = 500;

/** Control characters, and those that turn the direction of text: a name is shown to people. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/u;

/** Who a request is from as its headers say, and why that cannot be told. */
export type Claim =
  | { readonly kind: 'user'; readonly identity: Identity }
  | { readonly kind: 'nobody' }
  | { readonly kind: 'unusable'; readonly problem: string };

/** Reads the identity headers of a request that comes from a trusted proxy, which writes those of one family. */
export function readIdentity(req: IncomingMessage, headers: IdentityHeaders): Claim {
  try {
    refuseOthers(req, headers);
    const identity = readFamily(req, FAMILIES[headers]);
    return identity === null ? { kind: 'nobody' } : { kind: 'user', identity };
  } catch (error) {
    if (error instanceof UnusableName) return { kind: 'unusable', problem: error.message };
    throw error;
  }
}

/** A proxy sets or strips the headers of its own family only: those of another came from the client. */
function refuseOthers(req: IncomingMessage, headers: IdentityHeaders): void {
  for (const [name, { user, groups }] of Object.entries(FAMILIES)) {
    const given = [...user, ...Object.keys(groups)].find((header) => req.headersDistinct[header]);
    if (name !== headers && given !== undefined)
      throw new UnusableName(`${given} is there, but auth.identity_headers is ${headers}`);
  }
}

class UnusableName extends Error {}

function readFamily(req: IncomingMessage, family: HeaderFamily): Identity | null {
  const names = family.user.flatMap((header) => {
    const values = valuesOf(req, header);
    if (values.length > 1) throw new UnusableName(`${header} is there more than once`);
    return values.map((name) => checked(header, name));
  });
  const groups = readGroups(req, family);
  const email = family.email === null ? null : (valuesOf(req, family.email)[0] ?? null);
  return names[0] === undefined ? null : { name: names[0], email, groups };
}

function readGroups(req: IncomingMessage, family: HeaderFamily): string[] {
  const given = Object.keys(family.groups).filter((header) => req.headersDistinct[header]);
  if (given.length > 1) throw new UnusableName(`${given.join(' and ')} are there together`);
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

/** Values of a header, each as it was sent: `headers` would join them. An empty one stands for nobody, or hides one. */
function valuesOf(req: IncomingMessage, header: string): string[] {
  const values = (req.headersDistinct[header] ?? []).map((value) => decoded(header, value).trim());
  if (values.includes('')) throw new UnusableName(`${header} is empty`);
  return values;
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
  const problem = problemOfName(name);
  if (problem !== null) throw new UnusableName(`${header} ${problem}`);
  return name;
}

/** Why a text cannot be a user's or a group's name, to follow what it is; null when it can. */
export function problemOfName(name: string): string | null {
  if (name.length > MAX_NAME_LENGTH) return 'is too long';
  return UNPRINTABLE.test(name) ? 'has characters that cannot be shown' : null;
}
