import { z } from 'zod';
import { calendarSchema } from './calendar.ts';
import { count, duration, envVariable, httpUrl, text, withRules } from './common.ts';
import { settings } from './settings.ts';

const domain = z
  .string()
  .regex(/^(?=.{1,253}$)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/, 'expected a host name such as github.com')
  .transform((name) => name.toLowerCase());

const privateHost = z
  .string()
  .regex(
    /^(?=.{1,253}$)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*(?::[1-9]\d{0,4})?$/,
    'expected a host name such as git.example.internal or git.example.internal:8443',
  )
  .transform((name) => name.toLowerCase());

const githubFolder = httpUrl('GitHub folder whose Markdown files are offered as runbooks').refine(
  (value) => /^https:\/\/github\.com\/[\w.-]+\/[\w.-]+(?:\/tree\/[^?#\s]+)?\/?$/i.test(value),
  'expected a GitHub folder such as https://github.com/example/runbooks/tree/main/alerts',
);

/** `owner/repo` of a GitHub folder, as a list. */
function repositoryOf(repoUrl: string | null): string[] {
  const [, owner, repo] = repoUrl === null ? [] : new URL(repoUrl).pathname.split('/');
  return owner && repo ? [`${owner}/${repo.replace(/\.git$/, '')}`] : [];
}

const hostPattern = z
  .string()
  .regex(/^[A-Za-z0-9.*-]{1,253}$/, 'expected a host name without a port, such as tarsy.example.com or *.svc')
  .transform((name) => name.toLowerCase());

const origin = z
  .string()
  .regex(
    /^https?:\/\/[A-Za-z0-9.*-]+(?::\d{1,5})?$/,
    'expected an origin such as https://tarsy.example.com or https://*.example.com:8443',
  );

const github = settings(
  z.strictObject({
    token_env: envVariable('Variable that holds the GitHub token for runbooks').prefault('GITHUB_TOKEN'),
    repositories: z
      .array(
        z
          .string()
          .regex(
            /^[A-Za-z0-9-]+(?:\/[\w.-]+)?$/,
            'expected a repository such as example/runbooks, or an owner such as example',
          ),
      )
      .describe(
        'Repositories (owner/repository), or owners, that the token may be used for; default: that of runbooks.repo_url',
      )
      .optional(),
  }),
);

const runbooks = settings(
  z.strictObject({
    repo_url: githubFolder.optional(),
    cache_ttl: duration('How long a fetched runbook is kept', '0s').prefault('1m'),
    allowed_domains: z
      .array(domain)
      .min(1)
      .describe('Hosts that runbooks may come from')
      .prefault(['github.com', 'raw.githubusercontent.com']),
    allow_http: z
      .boolean()
      .describe('Whether runbooks may be fetched without encryption, from port 80')
      .prefault(false),
    private_hosts: z
      .array(privateHost)
      .describe('Hosts, or host:port, that are allowed though their addresses are private: own git servers')
      .prefault([]),
  }),
);

const slackKeys = z.strictObject({
  enabled: z.boolean().describe('Whether Slack is told about sessions').prefault(false),
  token_env: envVariable('Variable that holds the Slack bot token').prefault('SLACK_BOT_TOKEN'),
  channel: text('Channel id, such as C12345678').optional(),
});

const slack = settings(
  withRules(slackKeys, [
    'channel',
    ({ enabled, channel }) =>
      enabled === true && channel === undefined ? 'is required when slack is enabled' : null,
  ]),
);

const retention = settings(
  z.strictObject({
    session_retention_days: count(
      'Days that a session is shown after the last that happened in it',
      1,
      36_500,
    ).prefault(365),
    grace_days: count('Days after that until it is removed from the database for good', 0, 3650).prefault(30),
    cleanup_interval: duration('How often old sessions are removed', '1m').prefault('12h'),
  }),
);

const mcpHealth = settings(
  z
    .strictObject({
      interval: duration('From one check of an MCP server to the next', '100ms').prefault('15s'),
      timeout: duration('To list its tools; starting it has defaults.timeouts.mcp_init').prefault('5s'),
    })
    .describe('Checks of the MCP servers'),
);

const streams = settings(
  z.strictObject({
    connections_per_client: count(
      'WebSockets and event streams of one user (without authentication: of one address) at once',
      1,
      1_000_000,
    ).prefault(1000),
    operations_per_connection: count('Operations under way on one WebSocket', 1, 10_000).prefault(100),
  }),
);

export const systemSchema = settings(
  z
    .strictObject({
      dashboard_url: httpUrl(
        'Address of the dashboard in links; default: where this process serves it',
      ).optional(),
      allowed_hosts: z
        .array(hostPattern)
        .describe(
          'Host names besides loopback, IP addresses and that of dashboard_url by which the server may be called; * stands for a part of one',
        )
        .prefault([]),
      allowed_origins: z
        .array(origin)
        .describe(
          'Origins besides the dashboard whose pages may use the API with the cookies of their user; * stands for a part of a host name; default: none, in development (NODE_ENV) those of development servers',
        )
        .optional(),
      allowed_ws_origins: z
        .array(origin)
        .describe('Origins besides those that may open a WebSocket')
        .prefault([]),
      streams: streams.prefault({}),
      github: github.prefault({}),
      runbooks: runbooks.prefault({}),
      slack: slack.prefault({}),
      retention: retention.prefault({}),
      mcp_health: mcpHealth.prefault({}),
      calendar: calendarSchema.prefault({}),
      mcp_selection: z
        .enum(['narrow', 'replace'])
        .describe(
          'What the MCP servers and tools that an alert’s sender names do. narrow: of its chain’s servers, agents get those alone; replace: agents get those, of whatever server of the configuration, and of the model’s own tools also what native_tools leaves off',
        )
        .prefault('narrow'),
    })
    .describe('The service itself'),
).transform((system) => ({
  ...system,
  dashboardUrl: system.dashboardUrl?.replace(/\/+$/, '') ?? null,
  github: {
    ...system.github,
    repositories: system.github.repositories ?? repositoryOf(system.runbooks.repoUrl),
  },
}));
