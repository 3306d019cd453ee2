import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { IDENTITY_HEADERS } from '../enums.ts';
import { withRules } from './common.ts';
import { oidcSchema } from './oidc.ts';
import { settings } from './settings.ts';

const network = z
  .string()
  .refine(isNetwork, 'expected an IP address or a network such as 10.0.0.0/8 or fd00::/8')
  .transform((text) => (text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`));

const authKeys = z.strictObject({
  mode: z
    .enum(['none', 'proxy', 'oidc'])
    .describe(
      'none: no authentication, served on loopback only; proxy: users as an authenticating proxy names them; oidc: users sign in with an OpenID provider',
    )
    .prefault('none'),
  trusted_proxies: z
    .array(network)
    .min(1)
    .describe('Addresses and networks whose requests may name a user in headers')
    .prefault(['127.0.0.0/8', '::1']),
  identity_headers: z
    .enum(IDENTITY_HEADERS)
    .describe(
      'Headers in which the proxy names the user and their groups: x-forwarded (oauth2-proxy), x-auth-request (nginx with oauth2-proxy), x-remote (kube-rbac-proxy); a request with any of another kind is refused',
    )
    .prefault('x-forwarded'),
  allow_unauthenticated_network: z
    .boolean()
    .describe('With mode none: serve on an address that others can reach, to anyone who can')
    .prefault(false),
  oidc: oidcSchema.optional(),
});

/** Who may use the API, and how they are named. */
export const authSchema = settings(
  withRules(
    authKeys,
    [
      'allow_unauthenticated_network',
      ({ mode, allow_unauthenticated_network: allowed }) =>
        mode !== 'none' && allowed === true
          ? `is for mode none; with mode ${mode} every request has a user`
          : null,
    ],
    [
      'oidc',
      ({ mode, oidc }) => {
        if (mode === 'oidc') return oidc === undefined ? 'is required with mode oidc' : null;
        return oidc === undefined ? null : `is for mode oidc, this is ${mode ?? 'none'}`;
      },
    ],
  ).describe('Who may use the API'),
);

function isNetwork(text: string): boolean {
  // The library also reads 10.1 and 0x7f.1 as addresses, which nobody means.
  if (!/^(?:\d+\.\d+\.\d+\.\d+|[0-9a-f:.]*:[0-9a-f:.]*)(?:\/\d+)?$/i.test(text)) return false;
  return text.includes('/') ? ipaddr.isValidCIDR(text) : ipaddr.isValid(text);
}
