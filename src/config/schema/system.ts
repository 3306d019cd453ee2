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

const githubFolder = httpUrl('GitHub folder whose Markdown files users can choose as runbooks').refine(
  (value) => /^https:\/\/github\.com\/[\w.-]+\/[\w.-]+(?:\/tree\/[^?#\s]+)?\/?$/i.test(value),
  'expected a GitHub folder such as https://github.com/example/runbooks/tree/main/alerts',
);

/** Returns the `owner/repo` of a GitHub folder as a list; empty if there is none. */
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
    token_env: envVariable('Environment variable with the GitHub token for runbooks').prefault(
      'GITHUB_TOKEN',
    ),
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
        'Repositories (owner/repository) or owners that the token may be used for; default: the repository of runbooks.repo_url',
      )
      .optional(),
  }),
);

const runbooks = settings(
  z.strictObject({
    repo_url: githubFolder.optional(),
    cache_ttl: duration('Time that a fetched runbook is cached', '0s').prefault('1m'),
    allowed_domains: z
      .array(domain)
      .min(1)
      .describe('Hosts that runbooks may be fetched from')
      .prefault(['github.com', 'raw.githubusercontent.com']),
    allow_http: z
      .boolean()
      .describe('Allow fetching runbooks without encryption, from port 80')
      .prefault(false),
    private_hosts: z
      .array(privateHost)
      .describe(
        'Hosts, or host:port, that are allowed despite private addresses, such as your own git servers',
      )
      .prefault([]),
  }),
);

const slackKeys = z.strictObject({
  enabled: z.boolean().describe('Send notifications about sessions to Slack').prefault(false),
  token_env: envVariable('Environment variable with the Slack bot token').prefault('SLACK_BOT_TOKEN'),
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
    session_retention_days: count('Days that a session is shown after its last activity', 1, 36_500).prefault(
      365,
    ),
    grace_days: count(
      'Further days until a session is permanently removed from the database',
      0,
      3650,
    ).prefault(30),
    cleanup_interval: duration('Interval at which old sessions are removed', '1m').prefault('12h'),
  }),
);

const mcpHealth = settings(
  z
    .strictObject({
      interval: duration('Interval between two checks of an MCP server', '100ms').prefault('15s'),
      timeout: duration(
        'Time limit to list a server’s tools; its start is limited by defaults.timeouts.mcp_init',
      ).prefault('5s'),
    })
    .describe('Health checks of MCP servers'),
);

const streams = settings(
  z.strictObject({
    connections_per_client: count(
      'Simultaneous WebSockets and event streams of one user, or of one address without authentication',
      1,
      1_000_000,
    ).prefault(1000),
    operations_per_connection: count('Simultaneous operations on one WebSocket', 1, 10_000).prefault(100),
  }),
);

export const systemSchema = settings(
  z
    .strictObject({
      dashboard_url: httpUrl(
        'URL of the dashboard for links; default: the address of this process',
      ).optional(),
      allowed_hosts: z
        .array(hostPattern)
        .describe(
          'Host names that requests may use, in addition to loopback, IP addresses and the host of dashboard_url; * stands for a part of a name',
        )
        .prefault([]),
      allowed_origins: z
        .array(origin)
        .describe(
          'Origins whose pages may use the API with their user’s cookies, in addition to the dashboard; * stands for a part of a host name. Default: none; in development (NODE_ENV) those of development servers',
        )
        .optional(),
      allowed_ws_origins: z.array(origin).describe('Further origins that may open a WebSocket').prefault([]),
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
          'Effect of the MCP servers and tools that an alert’s sender selects. narrow: agents get the selected ones of their chain’s servers; replace: agents get the selected ones of any configured server, and native tools even if native_tools disables them',
        )
        .prefault('narrow'),
    })
    .describe('Settings of the service'),
).transform((system) => ({
  ...system,
  dashboardUrl: system.dashboardUrl?.replace(/\/+$/, '') ?? null,
  github: {
    ...system.github,
    repositories: system.github.repositories ?? repositoryOf(system.runbooks.repoUrl),
  },
}));
