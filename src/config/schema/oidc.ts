import { z } from 'zod';
import { duration, httpUrl, text } from './common.ts';
import { settings } from './settings.ts';

const LOOPBACK = /^http:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?(?:\/|$)/i;

/** Where people sign in by themselves. */
export const oidcSchema = settings(
  z
    .strictObject({
      issuer: httpUrl('Address of the OpenID provider, as its own documents name it').refine(
        (url) => /^https:/i.test(url) || LOOPBACK.test(url),
        'must be https: what it says decides who gets in',
      ),
      client_id: text('Name of TARSy at the provider'),
      client_secret: text('Proves that it is TARSy; default: none, for a public client').optional(),
      scopes: z
        .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'expected the name of a scope'))
        .describe('What to ask for besides openid')
        .prefault(['profile', 'email']),
      user_claim: text(
        'Claim that names the user: one that the provider lets nobody choose who could take that of another',
      ).prefault('email'),
      groups_claim: text('Claim that lists their groups').prefault('groups'),
      session_lifetime: duration('How long a sign-in lasts', '5s').prefault('8h'),
    })
    .describe('Mode oidc: where people sign in, with the callback <system.dashboard_url>/auth/callback'),
);
