import type { IdentityHeaders, Role } from './enums.ts';

/** `none`: whoever reaches the server may use it. `proxy`: a trusted proxy in front names every user. */
export interface AuthConfig {
  readonly mode: 'none' | 'proxy';
  /** In CIDR notation: the only addresses whose headers can name a user. */
  readonly trustedProxies: readonly string[];
  /** The only family of headers that names users. */
  readonly identityHeaders: IdentityHeaders;
  /** With `none`: other addresses than loopback may be listened on. */
  readonly allowUnauthenticatedNetwork: boolean;
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
