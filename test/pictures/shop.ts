import { resolve } from 'node:path';
import type { TestConfigOptions } from '../helpers/config.ts';
import { SOURCE_TOKEN } from '../helpers/deliveries.ts';

const TOOLS = resolve(import.meta.dirname, 'shop-tools.ts');
const server = (name: string, instructions: string) => ({
  transport: {
    type: 'stdio',
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', TOOLS, name],
  },
  instructions,
});
const agent = (name: string, description: string, servers: readonly string[]) => ({
  description,
  mcp_servers: servers,
  custom_instructions: `You are ${name}.`,
});

/** The model that the pictures show. Scripts provide its answers. */
export const PROVIDERS = {
  claude: { type: 'anthropic', model: 'claude-sonnet-4-5', api_key_env: 'SCRIPTED_KEY' },
};

/** People who use the dashboard in the pictures, by their role. */
export const ANA = 'ana@shop.example';
export const BEN = 'ben@shop.example';
export const MIRA = 'mira@shop.example';

/** Environment variables that the configuration names. */
export const SHOP_ENV = {
  CHAT_URL: 'https://chat.shop.example/hooks/k3j5h6',
  PORTAL_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
};

/** The configuration of an online shop that runs TARSy for its services. */
export const SHOP: TestConfigOptions = {
  system: { dashboard_url: 'https://tarsy.shop.example' },
  auth: { mode: 'proxy', trusted_proxies: ['127.0.0.1'] },
  access: {
    roles: { admin: { users: [ANA] }, responder: { users: [BEN, MIRA] } },
    approvers: [{ users: [ANA, MIRA] }],
  },
  intake: {
    sources: {
      'alertmanager-eu': { type: 'alertmanager', tokens: [SOURCE_TOKEN] },
      'grafana-cloud': { type: 'grafana', tokens: [SOURCE_TOKEN] },
      'deploy-checks': { type: 'generic', tokens: [SOURCE_TOKEN] },
    },
    rules: [
      { name: 'information-only', match: ['severity="info"'], investigate: 'never' },
      { name: 'storage-waits', match: ['service="object-store"'], group_wait: '30m' },
      { name: 'at-once', match: [], group_wait: '0s' },
    ],
  },
  schedules: {
    morning: {
      text: 'Check that the shop is healthy: pods, error rates, certificates and disks.',
      ...{ cron: '0 7 * * mon-fri', time_zone: 'Europe/Prague', jitter: '5m' },
    },
    'after-deploy': {
      text: 'A deployment has finished. Check that the shop works as before.',
      after: 'deploy-checks',
    },
  },
  budgets: { 'all-models': { scope: 'all', per: 'month', limit_usd: 40 } },
  notifications: {
    channels: {
      'oncall-mail': {
        ...{
          kind: 'email',
          host: 'smtp.shop.example',
          from: 'tarsy@shop.example',
          to: ['oncall@shop.example'],
        },
      },
      'ops-chat': { kind: 'mattermost', url_env: 'CHAT_URL' },
      portal: { kind: 'webhook', url: 'https://portal.shop.example/tarsy', secrets_env: ['PORTAL_SECRET'] },
    },
    // The filters match no alert of the pictures: the scene inserts the deliveries.
    rules: [
      {
        events: ['approval.requested', 'approval.decided'],
        sources: ['deploy-checks'],
        alert_types: ['remedy'],
      },
      { events: ['session.ended'], sources: ['deploy-checks'], alert_types: ['remedy'] },
    ].map((rule, index) => ({ ...rule, channels: index === 0 ? ['oncall-mail', 'ops-chat'] : ['portal'] })),
  },
  defaults: {
    ...{ llm_provider: 'claude', report: { enabled: true }, alert_type: 'service' },
    // One investigation stays in the middle of its work while all pictures are taken.
    timeouts: { iteration: '30m', llm_call: '30m', llm_stall: '30m' },
  },
  mcpServers: {
    kubernetes: server('kubernetes', 'The cluster prod-eu-1.'),
    metrics: server('metrics', 'Request and connection metrics of our services.'),
    deploys: server('deploys', 'Deployments of our services.'),
  },
  agents: {
    KubernetesAgent: agent('KubernetesAgent', 'Reads pods, events and logs', ['kubernetes']),
    MetricsAgent: agent('MetricsAgent', 'Compares request and pool metrics', ['metrics']),
    DeployAgent: agent('DeployAgent', 'Knows what changed, and rolls back', ['deploys']),
  },
  chains: {
    service: {
      description: 'Errors and latency of a service',
      alert_types: ['service'],
      stages: [
        {
          name: 'Investigation',
          agents: [{ name: 'KubernetesAgent' }, { name: 'MetricsAgent' }, { name: 'DeployAgent' }],
        },
      ],
    },
    remedy: {
      description: 'Prepares a remedy that people approve',
      alert_types: ['remedy'],
      stages: [{ name: 'Remedy', agents: [{ name: 'DeployAgent' }] }],
    },
  },
};
