import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { IDENTITY_HEADERS } from '../enums.ts';
import { duration, flag, httpUrl, list, matching, text } from './common.ts';
import { mapping, settings } from './settings.ts';

const network = z
  .string()
  .refine(isNetwork, 'expected an IP address or a network such as 10.0.0.0/8 or fd00::/8')
  .transform((text) => (text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`));

const LOOPBACK = /^http:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?(?:\/|$)/i;

const oidc = mapping({
  issuer: httpUrl('Issuer URL of the OpenID provider, exactly as in its discovery document').refine(
    (url) => /^https:/i.test(url) || LOOPBACK.test(url),
    'must be https, because the provider decides who may sign in',
  ),
  client_id: text('Client id of TARSy at the provider'),
  client_secret: text('Client secret of TARSy; default: none, for a public client').optional(),
  scopes: list(
    matching(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'expected the name of a scope'),
    'Requested scopes in addition to openid',
  ).prefault(['profile', 'email']),
  user_claim: text('Claim that identifies the user; users must not be able to choose its value').prefault(
    'email',
  ),
  groups_claim: text('Claim that lists the user’s groups').prefault('groups'),
  session_lifetime: duration('Lifetime of a sign-in', '5s').prefault('8h'),
}).describe('Mode oidc: the OpenID provider; register the callback <system.dashboard_url>/auth/callback');

const authKeys = z.strictObject({
  mode: z
    .enum(['none', 'proxy', 'oidc'])
    .describe(
      'none: no authentication, served on loopback only; proxy: an authenticating proxy names the users; oidc: users sign in with an OpenID provider',
    )
    .prefault('none'),
  trusted_proxies: list(network, 'Addresses and networks whose requests may name a user in headers')
    .min(1)
    .prefault(['127.0.0.0/8', '::1']),
  identity_headers: z
    .enum(IDENTITY_HEADERS)
    .describe(
      'Headers in which the proxy names the user and their groups: x-forwarded (oauth2-proxy), x-auth-request (nginx with oauth2-proxy), x-remote (kube-rbac-proxy). Requests with headers of another kind are refused',
    )
    .prefault('x-forwarded'),
  allow_unauthenticated_network: flag(
    'Mode none: allow an address that other machines can reach; every client then has full access',
  ).prefault(false),
  oidc: oidc.optional(),
});

export const authSchema = settings(
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
).describe('Authentication of users');

function isNetwork(text: string): boolean {
  // The library also accepts short forms such as 10.1 and 0x7f.1, which are almost certainly mistakes.
  if (!/^(?:\d+\.\d+\.\d+\.\d+|[0-9a-f:.]*:[0-9a-f:.]*)(?:\/\d+)?$/i.test(text)) return false;
  return text.includes('/') ? ipaddr.isValidCIDR(text) : ipaddr.isValid(text);
}
