/** Beginning of the names of tokens. No user has a name that begins so, so that names tell users and tokens apart. */
export const TOKEN_NAME_PREFIX = 'token:';

/** Returns the name under which a token acts: as author, approver, reviewer and in the audit log. */
export function nameOfToken({ name }: { name: string }): string {
  return `${TOKEN_NAME_PREFIX}${name}`;
}

/** True for names that only tokens have. Case and white space do not count, so that no name resembles a token's. */
export function isTokenName(name: string): boolean {
  return name.trim().toLowerCase().startsWith(TOKEN_NAME_PREFIX);
}
