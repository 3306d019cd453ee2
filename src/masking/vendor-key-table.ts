import type { MaskingPattern } from '../config/masking-names.ts';

/**
 * A documented form of a vendor's key: vendor, shape and source. In a shape, `<w32>` means 32 characters of alphabet
 * `w` of ALPHABETS, `<w20+>` at least 20, and `<w8-10>` 8 to 10. `(a|b)` means one of both; other text is literal.
 */
export type VendorKey = readonly [vendor: string, shape: string, source: string];

/** The alphabets that shapes refer to, as character classes. */
export const ALPHABETS: Readonly<Record<string, string>> = {
  d: '0-9',
  h: '0-9a-f',
  x: '0-9A-Fa-f',
  l: 'a-z0-9',
  u: 'A-Z0-9',
  w: 'A-Za-z0-9',
  k: 'A-Za-z0-9_-',
  b: 'A-Za-z0-9+/',
  m: 'A-Za-z0-9_=.-',
  t: 'A-Za-z0-9_~.',
  p: 'A-Za-z0-9_./-',
};

const UUID = '<h8>-<h4>-<h4>-<h4>-<h12>';
const leaks = (rule: string) => `gitleaks, rule ${rule}`;
const web = (page: string) => `https://${page}`;
const hog = (detector: string) => `trufflehog, detector ${detector}`;

const API_KEYS: readonly VendorKey[] = [
  ['OpenAI', 'sk-<k20+>', leaks('openai-api-key')],
  ['Stripe', '(sk|rk|pk)_(live|test|prod)_<w10+>', leaks('stripe-access-token')],
  ['Stripe webhooks', 'whsec_<b32+>', web('docs.stripe.com/webhooks')],
  ['Google API', 'AIza<k35>', leaks('gcp-api-key')],
  ['Google OAuth client', 'GOCSPX-<k28>', web('developers.google.com/identity/protocols/oauth2')],
  ['SendGrid', 'SG.<k16-64>.<k16+>', leaks('sendgrid-api-token')],
  ['Brevo', 'xkeysib-<h64>-<w16>', leaks('sendinblue-api-token')],
  ['Mailchimp', '<h32>-us<d1-2>', leaks('mailchimp-api-key')],
  ['Mailgun', 'key-<h32>', leaks('mailgun-private-api-token')],
  ['xAI', 'xai-<k20+>', hog('xai')],
  ['Groq', 'gsk_<w52>', hog('groq')],
  ['Perplexity', 'pplx-<w48>', leaks('perplexity-api-key')],
  ['NVIDIA', 'nvapi-<k60+>', hog('nvapi')],
  ['Replicate', 'r8_<k37>', hog('replicate')],
  ['LangSmith', 'lsv2_(pt|sk)_<h32>_<h10>', hog('langsmith')],
  ['Fireworks', 'fw_<w22+>', web('docs.fireworks.ai/api-reference/introduction')],
  ['Pinecone', 'pcsk_<k40+>', hog('pinecone')],
  ['Amazon Bedrock', 'ABSK<b60+>', leaks('aws-amazon-bedrock-api-key-long-lived')],
  ['Amazon Bedrock, short', 'bedrock-api-key-<w40+>', leaks('aws-amazon-bedrock-api-key-short-lived')],
  ['New Relic, user', 'NRAK-<w27>', leaks('new-relic-user-api-key')],
  ['New Relic, insert', 'NRII-<k32>', leaks('new-relic-insert-key')],
  ['New Relic, browser', 'NRJS-<h19>', leaks('new-relic-browser-api-token')],
  ['New Relic, license', '<l32>FFFFNRAL', web('docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys')],
  [
    'Honeycomb',
    'hc(a|b|x)(ik|mk|lk)_<l30+>',
    web('docs.honeycomb.io/configure/environments/manage-api-keys'),
  ],
  ['Dynatrace', 'dt0(c01|s01|s16).<u24>.<u64>', leaks('dynatrace-api-token')],
  ['Grafana, legacy', 'eyJrIjoi<b60+>', leaks('grafana-api-key')],
  ['Twilio', 'SK<x32>', leaks('twilio-api-key')],
  ['Postman', 'PMAK-<h24>-<h34>', leaks('postman-api-token')],
  ['Octopus Deploy', 'API-<u26>', leaks('octopus-deploy-api-key')],
  ['Artifactory', 'AKCp<w69>', leaks('artifactory-api-key')],
  ['Alibaba Cloud', 'LTAI<w20>', leaks('alibaba-access-key-id')],
  ['Yandex Cloud', 'AQVN<k35-38>', leaks('yandex-api-key')],
  ['ClickHouse Cloud', '4b1d<w38>', leaks('clickhouse-cloud-api-secret-key')],
  ['Cloudflare origin', 'v1.0-<h24>-<h146>', leaks('cloudflare-origin-ca-key')],
  ['Linear', 'lin_(api|oauth)_<w40>', leaks('linear-api-key')],
  ['Readme', 'rdme_<l70>', leaks('readme-api-token')],
  ['Figma', 'fig(d|u|o)_<k40+>', hog('figmapersonalaccesstoken')],
  ['Adobe', 'p8e-<w32>', leaks('adobe-client-secret')],
  ['EasyPost', 'EZ(A|T)K<w54>', leaks('easypost-api-token')],
  ['Infracost', 'ico-<w32>', leaks('infracost-api-token')],
  ['PostHog', 'ph(x|r)_<w40+>', web('posthog.com/docs/api')],
  ['LaunchDarkly', `sdk-${UUID}`, web('launchdarkly.com/docs/sdk/concepts/client-side-server-side')],
  ['Flutterwave', 'FLWSECK(_TEST|_LIVE)?-<w12+>', leaks('flutterwave-secret-key')],
  ['Plaid', `access-(sandbox|development|production)-${UUID}`, leaks('plaid-api-token')],
  ['Rootly', 'rootly_<h64>', hog('rootly')],
  ['age', 'AGE-SECRET-KEY-1<u58>', leaks('age-secret-key')],
  ['1Password, secret key', 'A3-<u6>-<u6>-<u5>-<u5>-<u5>-<u5>', leaks('1password-secret-key')],
  ['1Password, secret key of 34', 'A3-<u6>-<u11>-<u5>-<u5>-<u5>', leaks('1password-secret-key')],
  ['Resend', 're_<w8>_<w20+>', web('resend.com/docs/dashboard/api-keys/introduction')],
  ['Tavily', 'tvly-<k20+>', hog('tavily')],
  ['Duffel', 'duffel_(test|live)_<k43>', leaks('duffel-api-token')],
];

const TOKENS: readonly VendorKey[] = [
  ['JSON Web Token', 'eyJ<k13+>.eyJ<k4+>(.<k0+>)?', 'RFC 7519'],
  ['GitLab', 'gl(pat|dt|rt|rtr|soat|cbt|ptt|ft|imt|agent|oas|ffct|wt)-<m20+>', leaks('gitlab-pat')],
  ['GitLab runner', 'GR1348941<k20>', leaks('gitlab-rrt')],
  ['npm', 'npm_<w30+>', leaks('npm-access-token')],
  ['PyPI', 'pypi-<k50+>', leaks('pypi-upload-token')],
  ['RubyGems', 'rubygems_<h48>', leaks('rubygems-api-token')],
  ['crates.io', 'cio<w32>', hog('cratesio')],
  ['Clojars', 'CLOJARS_<l60>', leaks('clojars-api-token')],
  ['NuGet', 'oy2<l43>', leaks('nuget-api-key')],
  ['Vault', 'hv(s|b|r).<k20+>', leaks('vault-service-token')],
  ['Terraform Cloud', '<w14>.atlasv1.<k60+>', leaks('hashicorp-tf-api-token')],
  ['DigitalOcean', 'do(p|o|r)_v1_<h40+>', leaks('digitalocean-pat')],
  ['OpenShift', 'sha256~<k43>', leaks('openshift-user-token')],
  ['Grafana service account', 'glsa_<w32>_<x8>', leaks('grafana-service-account-token')],
  ['Grafana Cloud', 'glc_<b32+>', leaks('grafana-cloud-api-token')],
  ['Sentry organization', 'sntrys_<b40+>', leaks('sentry-org-token')],
  ['Sentry user', 'sntryu_<h64>', leaks('sentry-user-token')],
  ['Docker Hub', 'dckr_(pat|oat)_<k27+>', hog('dockerhub')],
  ['Atlassian', 'AT(ATT|CTT|BB|STT|OTT)<k20+>', leaks('atlassian-api-token')],
  ['Tailscale', 'tskey-<k20+>', web('tailscale.com/kb/1277/key-prefixes')],
  ['Doppler', 'dp.(pt|st|sa|ct|said|scim|audit).<m40+>', leaks('doppler-api-token')],
  ['Doppler, service', 'dp.st.<k2-35>.<w40+>', leaks('doppler-api-token')],
  [
    'Cloudflare',
    '(cfk|cfut|cfat)_<w32+>',
    web('developers.cloudflare.com/fundamentals/api/get-started/token-formats'),
  ],
  ['Amazon EKS', 'k8s-aws-v1.<k20+>', web('docs.aws.amazon.com/cli/latest/reference/eks/get-token.html')],
  ['Pulumi', 'pul-<h40>', leaks('pulumi-api-token')],
  ['Heroku', 'HRKU-<k36+>', leaks('heroku-api-key-v2')],
  ['Azure Entra client secret', '<t3>(8|7|6|5|4)Q~<t31-40>', leaks('azure-ad-client-secret')],
  [
    'Azure DevOps',
    '<w52>JQQJ99<w22>AAAAAZDO<w4>',
    web('learn.microsoft.com/azure/devops/organizations/accounts/use-personal-access-tokens-to-authenticate'),
  ],
  ['Databricks', 'dapi<h32>(-<d1>)?', leaks('databricks-api-token')],
  ['Telegram', '<d8-10>:AA<k33>', leaks('telegram-bot-api-token')],
  ['Discord', '(M|N|O)<w23-27>.<k6>.<k27-38>', hog('discordbottoken')],
  ['Discord webhooks', '(discord|discordapp).com/api/webhooks/<d17-20>/<k60+>', hog('discordwebhook')],
  ['Slack', 'xox(b|p|a|r|s|o|c|d|e)-<k10+>', leaks('slack-bot-token')],
  ['Slack configuration', 'xoxe.xox(b|p)-<k10+>', leaks('slack-config-access-token')],
  ['Slack app', 'xapp-<k10+>', leaks('slack-app-token')],
  ['Slack webhooks', 'hooks.slack.com/(services|workflows|triggers)/<p16+>', leaks('slack-webhook-url')],
  [
    'Teams webhooks',
    '.webhook.office.com/webhookb2/<k36>@<k36>/IncomingWebhook/<p32+>',
    leaks('microsoft-teams-webhook'),
  ],
  ['Google access', 'ya29.<k20+>', hog('googleoauth2')],
  ['Google refresh', '1//0<k20+>', web('developers.google.com/identity/protocols/oauth2')],
  ['GitHub', 'gh(p|o|u|s|r)_<w20+>', leaks('github-pat')],
  ['GitHub, fine-grained', 'github_pat_<k20+>', leaks('github-fine-grained-pat')],
  ['Hugging Face', '(hf|api_org)_<w34+>', leaks('huggingface-access-token')],
  ['1Password service account', 'ops_eyJ<b60+>', leaks('1password-service-account-token')],
  ['Fly', '(fo1|fm1r|fm1a|fm2)_<b40+>', leaks('flyio-access-token')],
  ['Notion', 'ntn_<w40+>', leaks('notion-api-token')],
  ['Notion, old', 'secret_<w43>', hog('notion')],
  ['Sourcegraph', 'sgp_(<x16>_|local_)?<x40>', leaks('sourcegraph-access-token')],
  ['Airtable', 'pat<w14>.<h64>', leaks('airtable-personnal-access-token')],
  ['Apify', 'apify_api_<w30+>', hog('apify')],
  ['Shippo', 'shippo_(live|test)_<x40>', leaks('shippo-api-token')],
  ['Shopify', 'shp(at|ca|pa|ss)_<x32>', leaks('shopify-access-token')],
  ['Square', 'sq0(atp|csp|idp)-<k22+>', leaks('square-access-token')],
  ['PlanetScale', 'pscale_(tkn|oauth|pw)_<m32+>', leaks('planetscale-api-token')],
  ['Prefect', 'pn(u|b)_<w36>', leaks('prefect-api-token')],
  ['Scalingo', 'tk-us-<k48>', leaks('scalingo-api-token')],
  ['Typeform', 'tfp_<m40+>', leaks('typeform-api-token')],
  ['SonarQube', 'sq(u|p|a)_<h40>', hog('sonarcloud')],
  ['Supabase', 'sb(p|s)_<l40>', hog('supabasetoken')],
  ['Supabase, secret', 'sb_secret_<k20+>', web('supabase.com/docs/guides/api/api-keys')],
  ['Buildkite', 'bkua_<w40>', hog('buildkitev2')],
  ['CircleCI', 'CCI(PAT|PRJ)_<k40+>', hog('circleci')],
  ['Contentful', 'CFPAT-<k43>', hog('contentfulpersonalaccesstoken')],
  ['HubSpot', `pat-(na1|eu1|na2|ap1)-${UUID}`, hog('hubspot_apikey')],
  ['Harness', '(pat|sat).<k22>.<w24>.<w20>', leaks('harness-api-key')],
  ['Frame.io', 'fio-u-<k64>', leaks('frameio-api-token')],
  ['SettleMint', 'sm_(aat|pat|sat)_<w16>', leaks('settlemint-personal-access-token')],
  ['Deno Deploy', 'dd(p|w)_<w36>', hog('denodeploy')],
  ['Facebook', 'EAA(M|C)<w100+>', leaks('facebook-page-access-token')],
  ['Artifactory, reference', 'cmVmd<w59>', leaks('artifactory-reference-token')],
];

const AWS: VendorKey = ['AWS', '(AKIA|ASIA|ABIA|ACCA)<u16>', leaks('aws-access-token')];

export const VENDOR_KEYS: readonly { patterns: readonly MaskingPattern[]; key: VendorKey }[] = [
  ...API_KEYS.map((key) => ({ patterns: ['api_key'] as const, key })),
  ...TOKENS.map((key) => ({ patterns: patternsOf(key), key })),
  { patterns: ['aws_access_key'], key: AWS },
];

function patternsOf([vendor]: VendorKey): readonly MaskingPattern[] {
  if (vendor.startsWith('GitHub')) return ['github_token', 'token'];
  return vendor.startsWith('Slack') ? ['slack_token', 'token'] : ['token'];
}
