import type { IdentityHeaders, Role } from './enums.ts';

/**
 * `none`: whoever reaches the server may use it. `proxy`: a trusted proxy in front names every user. `oidc`: users sign in with
 * an OpenID provider.
 */
export interface AuthConfig {
  readonly mode: 'none' | 'proxy' | 'oidc';
  /** In CIDR notation: the only addresses whose headers can name a user. */
  readonly trustedProxies: readonly string[];
  /** The only family of headers that names users. */
  readonly identityHeaders: IdentityHeaders;
  /** With `none`: other addresses than loopback may be listened on. */
  readonly allowUnauthenticatedNetwork: boolean;
  /** Never null with `oidc`. */
  readonly oidc: OidcConfig | null;
}

/** The OpenID provider. */
export interface OidcConfig {
  /** https, or on loopback. */
  readonly issuer: string;
  readonly clientId: string;
  /** null = a public client. */
  readonly clientSecret: string | null;
  /** Besides openid. */
  readonly scopes: readonly string[];
  readonly userClaim: string;
  readonly groupsClaim: string;
  readonly sessionLifetimeMs: number;
}

/** What those who get in may see and do. */
export interface AccessConfig {
  /** null = everybody is ADMIN. */
  readonly roles: Readonly<Record<Role, RoleMembers>> | null;
}

/** Who has a role. */
export interface RoleMembers {
  /** Names, addresses (with an @), or `*` for everybody. */
  readonly users: readonly string[];
  readonly groups: readonly string[];
}

export interface AuditConfig {
  /** Days that is kept who changed what. */
  readonly retentionDays: number;
}
