import { z } from 'zod';
import { calendarSchema } from './calendar.ts';
import { checked, count, duration, envVariable, flag, httpUrl, list, matching, text } from './common.ts';
import { mapping, settings } from './settings.ts';

const domain = matching(
  /^(?=.{1,253}$)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/,
  'expected a host name such as github.com',
).transform((name) => name.toLowerCase());

const privateHost = matching(
  /^(?=.{1,253}$)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*(?::[1-9]\d{0,4})?$/,
  'expected a host name such as git.example.internal or git.example.internal:8443',
).transform((name) => name.toLowerCase());

const githubFolder = httpUrl('GitHub folder whose Markdown files users can choose as runbooks').refine(
  (value) => /^https:\/\/github\.com\/[\w.-]+\/[\w.-]+(?:\/tree\/[^?#\s]+)?\/?$/i.test(value),
  'expected a GitHub folder such as https://github.com/example/runbooks/tree/main/alerts',
);

/** Returns the repository of a GitHub folder, as a list with `owner/repo`; empty if `repoUrl` is `null`. */
function repositoryOf(repoUrl: string | null): string[] {
  const [, owner, repo] = repoUrl === null ? [] : new URL(repoUrl).pathname.split('/');
  return owner && repo ? [`${owner}/${repo.replace(/\.git$/, '')}`] : [];
}

const hostPattern = matching(
  /^[A-Za-z0-9.*-]{1,253}$/,
  'expected a host name without a port, such as tarsy.example.com or *.svc',
).transform((name) => name.toLowerCase());

const origin = matching(
  /^https?:\/\/[A-Za-z0-9.*-]+(?::\d{1,5})?$/,
  'expected an origin such as https://tarsy.example.com or https://*.example.com:8443',
);

const github = mapping({
  token_env: envVariable('Environment variable with the GitHub token for runbooks').prefault('GITHUB_TOKEN'),
  repositories: list(
    matching(
      /^[A-Za-z0-9-]+(?:\/[\w.-]+)?$/,
      'expected a repository such as example/runbooks, or an owner such as example',
    ),
    'Repositories (owner/repository) or owners that the token may be used for; default: the repository of runbooks.repo_url',
  ).optional(),
}).describe('Access to GitHub for runbooks');

const runbookToken = mapping({
  host: privateHost.describe(
    'Host, or host:port, that gets the token; must be in allowed_domains or private_hosts',
  ),
  token_env: envVariable('Environment variable with the token, sent as Authorization: Bearer …'),
  paths: list(
    matching(/^[\w.~-]+(?:\/[\w.~-]+)*$/, 'expected the beginning of a path such as org/runbooks'),
    'Beginnings of the paths that the token may be used for, such as a repository or a group',
  ).min(1),
});

const runbooks = mapping({
  repo_url: githubFolder.optional(),
  cache_ttl: duration('Time that a fetched runbook is cached', '0s').prefault('1m'),
  allowed_domains: list(domain, 'Hosts that runbooks may be fetched from')
    .min(1)
    .prefault(['github.com', 'raw.githubusercontent.com']),
  allow_http: flag('Allow fetching runbooks without encryption, from port 80').prefault(false),
  private_hosts: list(
    privateHost,
    'Hosts, or host:port, that are allowed despite private addresses, such as your own git servers',
  ).prefault([]),
  tokens: list(
    runbookToken,
    'Tokens for private runbooks of GitHub Enterprise, GitLab and other servers',
  ).prefault([]),
}).describe('Sources of runbooks');

const slackKeys = z.strictObject({
  enabled: flag('Send notifications about sessions to Slack').prefault(false),
  token_env: envVariable('Environment variable with the Slack bot token').prefault('SLACK_BOT_TOKEN'),
  channel: text('Channel id, such as C12345678').optional(),
  receive: z
    .enum(['none', 'http', 'socket'])
    .describe(
      'How questions, commands and clicks from Slack arrive. none: not at all; http: Slack calls <system.dashboard_url>/slack/events; socket: TARSy connects to Slack (Socket Mode)',
    )
    .prefault('none'),
  signing_secret_env: envVariable(
    'receive http: environment variable with the signing secret of the app',
  ).prefault('SLACK_SIGNING_SECRET'),
  app_token_env: envVariable('receive socket: environment variable with the app-level token').prefault(
    'SLACK_APP_TOKEN',
  ),
  reaction: matching(/^[a-z0-9_+'-]{1,100}$/, 'expected the name of an emoji without colons, such as mag')
    .describe('Emoji with which a user has TARSy investigate a message; default: none')
    .optional(),
});

const slack = settings(slackKeys, [
  'channel',
  ({ enabled, channel }) =>
    enabled === true && channel === undefined ? 'is required when slack is enabled' : null,
]).describe('Notifications in Slack');

const retention = mapping({
  session_retention_days: count(1, 36_500)
    .describe('Days that a session is shown after its last activity')
    .prefault(365),
  grace_days: count(0, 3650)
    .describe('Further days until a session is permanently removed from the database')
    .prefault(30),
  cleanup_interval: duration('Interval at which old sessions are removed', '1m').prefault('12h'),
}).describe('Retention of sessions');

const mcpHealth = mapping({
  interval: duration('Interval between two checks of an MCP server', '100ms').prefault('15s'),
  timeout: duration(
    'Time limit to list a server’s tools; its start is limited by defaults.timeouts.mcp_init',
  ).prefault('5s'),
}).describe('Health checks of MCP servers');

const streams = mapping({
  connections_per_client: count(1, 1_000_000)
    .describe(
      'Simultaneous WebSockets, event streams and MCP requests of one user, or of one address without authentication',
    )
    .prefault(1000),
  operations_per_connection: count(1, 10_000)
    .describe('Simultaneous operations on one WebSocket')
    .prefault(100),
}).describe('Limits of live streams');

const telemetry = mapping({
  content: z
    .enum(['none', 'masked'])
    .describe(
      'Content of traces. none: no text of alerts, models or tools; masked: prompts, answers, arguments and results of tools, with secrets masked and long texts cut',
    )
    .prefault('none'),
}).describe('Traces');

/** Paths of the server and of the dashboard's pages. The server could not tell them from a proxy's path. */
const OWN_PATH =
  /^\/(?:alerts|approvals|assets|auth|compare|graphql|health|mcp|metrics|review|sessions|slack|submit|system|webhooks)\/*$/;

function ownPathProblem(url: string): string | null {
  const path = URL.parse(url)?.pathname ?? '';
  return OWN_PATH.test(path) ? `${path} is a path of TARSy itself: choose another, such as /tarsy` : null;
}

export const systemSchema = mapping({
  dashboard_url: checked(
    httpUrl(
      'URL of the dashboard for links, with the path below which a proxy serves it; default: the address of this process',
    ),
    ownPathProblem,
  ).optional(),
  allowed_hosts: list(
    hostPattern,
    'Host names that requests may use, in addition to loopback, IP addresses and the host of dashboard_url; * stands for a part of a name',
  ).prefault([]),
  allowed_origins: list(
    origin,
    'Origins whose pages may use the API with their user’s cookies, in addition to the dashboard; * stands for a part of a host name. Default: none; in development (NODE_ENV) those of development servers',
  ).optional(),
  allowed_ws_origins: list(origin, 'Further origins that may open a WebSocket').prefault([]),
  streams: streams.prefault({}),
  github: github.prefault({}),
  runbooks: runbooks.prefault({}),
  slack: slack.prefault({}),
  retention: retention.prefault({}),
  mcp_health: mcpHealth.prefault({}),
  calendar: calendarSchema.prefault({}),
  telemetry: telemetry.prefault({}),
  mcp_selection: z
    .enum(['narrow', 'replace'])
    .describe(
      'Effect of the MCP servers and tools that an alert’s sender selects. narrow: agents get the selected ones of their chain’s servers; replace: agents get the selected ones of any configured server, and native tools even if native_tools disables them',
    )
    .prefault('narrow'),
})
  .describe('Settings of the service')
  .transform((system) => ({
    ...system,
    dashboardUrl: system.dashboardUrl?.replace(/\/+$/, '') ?? null,
    github: {
      ...system.github,
      repositories: system.github.repositories ?? repositoryOf(system.runbooks.repoUrl),
    },
  }));
