import type { Variable } from './variable.ts';

/** Environment variables of the manifests and of `npm run deploy`. */
export const DEPLOYMENT = {
  POSTGRES_PASSWORD: {
    fallback: null,
    unset: 'required',
    meaning: 'Password of the database of `compose.yaml`',
  },
  KUBECTL: {
    fallback: null,
    unset: '`kubectl`; `oc` for `openshift`',
    meaning: 'Command with which `npm run deploy` talks to the cluster',
  },
  TARSY_DASHBOARD_URL: {
    fallback: null,
    meaning: 'Address of the dashboard; host of the Ingress or Route',
  },
  TARSY_IMAGE: {
    fallback: null,
    unset: 'that of the overlay',
    meaning: 'Image of API and workers, with registry and tag or digest',
  },
  TARSY_LLM_SERVICE_IMAGE: {
    fallback: null,
    unset: 'that of the overlay',
    meaning: 'Image of the LLM service',
  },
  TARSY_LLM_PROVIDER: {
    fallback: null,
    unset: 'chosen by the keys',
    meaning: 'Value of `defaults.llm_provider` in the shipped configuration',
  },
  OAUTH2_PROXY_CLIENT_ID: {
    fallback: null,
    meaning:
      'Client id of oauth2-proxy at the provider of users ([sign-in by proxy](../how-to/access/sign-in-by-proxy.md))',
  },
  OAUTH2_PROXY_CLIENT_SECRET: { fallback: null, meaning: 'Client secret of oauth2-proxy' },
  OAUTH2_PROXY_COOKIE_SECRET: {
    fallback: null,
    meaning: 'Key with which oauth2-proxy encrypts its cookies',
  },
  OAUTH2_PROXY_PROVIDER: {
    fallback: null,
    unset: 'that of the overlay',
    meaning: 'Kind of the provider of users',
  },
  OAUTH2_PROXY_PROVIDER_DISPLAY_NAME: {
    fallback: null,
    meaning: 'Name of the provider on the page for signing in',
  },
  OAUTH2_PROXY_OIDC_ISSUER_URL: { fallback: null, meaning: 'Issuer URL of an OpenID provider' },
  OAUTH2_PROXY_EMAIL_DOMAINS: { fallback: null, meaning: 'Domains of e-mail addresses that may sign in' },
  OAUTH2_PROXY_GITHUB_ORG: { fallback: null, meaning: 'Organization at GitHub whose members may sign in' },
  OAUTH2_PROXY_GITHUB_TEAM: { fallback: null, meaning: 'Team at GitHub whose members may sign in' },
  OAUTH2_PROXY_ALLOWED_GROUPS: { fallback: null, meaning: 'Groups whose members may sign in' },
} as const satisfies Readonly<Record<string, Variable>>;
