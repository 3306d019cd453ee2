import type { IncomingMessage } from 'node:http';
import type { Identity } from '../access/viewer.ts';
import { isTokenName, TOKEN_NAME_PREFIX } from '../common/token-name.ts';
import type { IdentityHeaders } from '../config/enums.ts';

interface HeaderFamily {
  readonly user: readonly string[];
  readonly email: string | null;
  /** Group headers with the separator of their values; `null` if a value is one group. */
  readonly groups: Readonly<Record<string, string | null>>;
}

/** Header names by family: oauth2-proxy, oauth2-proxy behind nginx (auth_request), and kube-rbac-proxy. */
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

const MAX_NAME_LENGTH = 200;

/** The largest number of groups of one user. Kubernetes has a handful, directories up to some hundreds. */
export const MAX_GROUPS = 500;

/** Characters that names may not contain, because names are displayed: control, direction and unassigned characters. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/u;

export type Claim =
  | { readonly kind: 'user'; readonly identity: Identity }
  | { readonly kind: 'none' }
  | { readonly kind: 'invalid'; readonly problem: string };

/** Reads the user from the identity headers of a trusted proxy; `headers` is the family that the proxy writes. */
export function readIdentity(req: IncomingMessage, headers: IdentityHeaders): Claim {
  try {
    refuseOthers(req, headers);
    const identity = readFamily(req, FAMILIES[headers]);
    return identity === null ? { kind: 'none' } : { kind: 'user', identity };
  } catch (error) {
    if (error instanceof InvalidNameError) return { kind: 'invalid', problem: error.message };
    throw error;
  }
}

/** Throws if a header of another family exists: the proxy does not remove those, so a client may have sent it. */
function refuseOthers(req: IncomingMessage, headers: IdentityHeaders): void {
  for (const [name, { user, groups }] of Object.entries(FAMILIES)) {
    const given = [...user, ...Object.keys(groups)].find((header) => req.headersDistinct[header]);
    if (name !== headers && given !== undefined)
      throw new InvalidNameError(`${given} is present, but auth.identity_headers is ${headers}`);
  }
}

class InvalidNameError extends Error {}

function readFamily(req: IncomingMessage, family: HeaderFamily): Identity | null {
  const [name] = family.user.flatMap((header) => {
    const given = headerValue(req, header);
    return given === null ? [] : checkedUser(header, given);
  });
  const groups = readGroups(req, family);
  const email = family.email === null ? null : headerValue(req, family.email);
  return name === undefined ? null : { name, email, groups };
}

function readGroups(req: IncomingMessage, family: HeaderFamily): string[] {
  const given = Object.keys(family.groups).filter((header) => req.headersDistinct[header]);
  if (given.length > 1) throw new InvalidNameError(`${given.join(' and ')} are both present`);
  const groups = Object.entries(family.groups).flatMap(([header, separator]) => {
    const value = headerValue(req, header) ?? '';
    return (separator === null ? [value] : value.split(separator))
      .map((group) => group.trim())
      .filter((group) => group !== '')
      .map((group) => checked(header, group));
  });
  if (groups.length > MAX_GROUPS) throw new InvalidNameError(`there are more than ${MAX_GROUPS} groups`);
  return [...new Set(groups)];
}

/**
 * Returns the value of a header; `null` if it is absent. Throws if it is empty, because another header could then name
 * the user, and if it is repeated, because a proxy that adds its header to the client's cannot be told from the client.
 */
function headerValue(req: IncomingMessage, header: string): string | null {
  const [given, ...more] = req.headersDistinct[header] ?? []; // one entry per header as sent, never joined
  if (given === undefined) return null;
  if (more.length > 0) throw new InvalidNameError(`${header} is present more than once`);
  const value = decoded(header, given).trim();
  if (value === '') throw new InvalidNameError(`${header} is empty`);
  return value;
}

/** Decodes a value as UTF-8, because proxies write UTF-8 but Node decodes headers as Latin-1. */
function decoded(header: string, value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    throw new InvalidNameError(`${header} is not UTF-8`);
  }
}

function checked(header: string, name: string): string {
  const problem = problemOfName(name);
  if (problem !== null) throw new InvalidNameError(`${header} ${problem}`);
  return name;
}

function checkedUser(header: string, name: string): string {
  const problem = problemOfUser(name);
  if (problem !== null) throw new InvalidNameError(`${header} ${problem}`);
  return name;
}

/** Returns why a text cannot be the name or address of a user; `null` if it can. */
export function problemOfUser(name: string): string | null {
  return isTokenName(name)
    ? `begins with "${TOKEN_NAME_PREFIX}", which is reserved for API tokens`
    : problemOfName(name);
}

/** Returns why a text is not a valid user or group name; `null` if it is valid. */
function problemOfName(name: string): string | null {
  if (name.length > MAX_NAME_LENGTH) return 'is too long';
  return UNPRINTABLE.test(name) ? 'has unprintable characters' : null;
}
