import { DEPLOYMENT } from './deployment-variables.ts';
import type { Variable } from './variable.ts';

/** Every environment variable, by the program that reads it. docs/reference/environment.md is generated from this table. */
export const VARIABLE_GROUPS = {
  'Addresses and processes': {
    HTTP_HOST: { fallback: '127.0.0.1', meaning: 'Address on which API and dashboard listen' },
    HTTP_PORT: { fallback: '8080', meaning: 'Port of API and dashboard; 0 = any free port' },
    METRICS_HOST: {
      fallback: '127.0.0.1',
      meaning: 'Address of the second server for `/health` and `/metrics`',
    },
    METRICS_PORT: {
      fallback: null,
      unset: 'no second server',
      meaning:
        'Port of a second server for `/health` and `/metrics`, mainly for workers; 0 = any free port. The LLM service serves its own metrics there',
    },
    TARSY_HOME: {
      fallback: null,
      unset: '`.tarsy` in the project',
      meaning: 'Folder of everything that TARSy starts itself: database, Python environment, logs',
    },
    CONFIG_DIR: {
      fallback: null,
      unset: '`deploy/config` in the project',
      meaning: 'Folder of the [configuration files](configuration.md)',
    },
    WORKER_CONCURRENCY: {
      fallback: null,
      unset: '[`queue.worker_concurrency`](configuration/queue.md)',
      meaning: 'Sessions that one process runs at the same time (1–1000)',
    },
    NODE_ENV: {
      fallback: 'development',
      meaning:
        '`production` turns GraphiQL and introspection off, unless the section [`api`](configuration/api.md) turns them on',
    },
    NODE_OPTIONS: {
      fallback: null,
      meaning: 'Options of Node; its heap sizes take precedence over those of TARSy',
    },
    PYTHON: {
      fallback: null,
      unset: 'the first of `python3`, `python3.14`, …',
      meaning: 'Command of the Python 3.11 or newer that runs the LLM service of `npm start`',
    },
    TARSY_KEY: {
      fallback: null,
      unset: 'the key in `TARSY_HOME/key`',
      meaning:
        'Key of 32 bytes in base64 (`openssl rand -base64 32`), equal in all processes. Encrypts the state of models and [arguments of calls](../how-to/install/database-and-key.md#one-key-for-all-processes) that contain secrets',
    },
    TARSY_COMMIT: {
      fallback: null,
      unset: 'the commit of the checkout',
      meaning:
        'Commit that an image was built from; part of the version in `/health`, in the metrics and on the dashboard',
    },
    KUBECONFIG: {
      fallback: null,
      unset: 'as for `kubectl`',
      meaning: 'File with the cluster that the built-in servers `kubernetes-server` and `changes` read',
    },
  },
  Database: {
    DATABASE_URL: {
      fallback: null,
      unset: 'TARSy starts its own',
      meaning:
        'URL of a PostgreSQL 14 or newer. Write `@ : / ? # %` in a password as `%40 %3A %2F %3F %23 %25`',
    },
    DATABASE_POOLER_URL: {
      fallback: null,
      unset: 'all connections go to `DATABASE_URL`',
      meaning:
        'URL of the same database through a pooler in transaction mode, such as PgBouncer. TARSy sends its statements there; `LISTEN`, the job queue and migrations keep using `DATABASE_URL` ([a pooler](../how-to/install/pooler.md))',
    },
    DATABASE_READ_URL: {
      fallback: null,
      unset: 'all reads use the primary',
      meaning:
        'URL of a hot standby of the database, which answers queries of the API ([a read replica](../how-to/install/read-replica.md))',
    },
    DATABASE_READ_WAIT_MS: {
      fallback: '200',
      meaning:
        'Milliseconds (10–10000) that a query waits until the replica has replayed everything that was committed before. Then the primary answers',
    },
    PGHOST: { fallback: 'localhost', meaning: 'Host, if `DATABASE_URL` names none' },
    PGPORT: { fallback: '5432', meaning: 'Port, if `DATABASE_URL` names none' },
    PGSSLMODE: {
      fallback: null,
      meaning:
        'TLS to the database, if `DATABASE_URL` does not say it: `disable`, `prefer`, `require`, `verify-ca`, `verify-full` or `no-verify` ([TLS](../how-to/install/database-and-key.md#tls-to-the-database))',
    },
    PGSSLROOTCERT: { fallback: null, meaning: 'File of the certificate authorities of the database' },
    PGSSLCERT: { fallback: null, meaning: 'File of the client certificate for the database' },
    PGSSLKEY: { fallback: null, meaning: 'File of the key of the client certificate' },
  },
  'Logs and traces': {
    LOG_LEVEL: {
      fallback: 'info',
      meaning:
        'Least severe level that is logged: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`',
    },
    LOG_FORMAT: {
      fallback: null,
      unset: '`json` if `NODE_ENV` is `production`, else `pretty`',
      meaning: 'Format of the log: `json` or `pretty`',
    },
    OTEL_EXPORTER_OTLP_ENDPOINT: {
      fallback: null,
      unset: 'no traces',
      meaning: 'URL to which traces of investigations are exported; TARSy appends `/v1/traces`',
    },
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
      fallback: null,
      meaning: 'The same as a complete URL; takes precedence over `OTEL_EXPORTER_OTLP_ENDPOINT`',
    },
    OTEL_SERVICE_NAME: { fallback: 'tarsy', meaning: 'Name of the service in traces' },
  },
  'Outgoing requests': {
    HTTPS_PROXY: {
      fallback: null,
      meaning: '[Forward proxy](../how-to/install/forward-proxy.md) of requests to `https` addresses',
    },
    HTTP_PROXY: { fallback: null, meaning: 'Forward proxy of requests to `http` addresses' },
    NO_PROXY: { fallback: null, meaning: 'Hosts that are reached without a proxy, separated by commas' },
    NODE_EXTRA_CA_CERTS: { fallback: null, meaning: 'PEM file of further certificate authorities, for Node' },
    SSL_CERT_FILE: {
      fallback: null,
      meaning:
        'PEM file of [all certificate authorities](../how-to/install/forward-proxy.md#certificates): the system’s and yours',
    },
    PIP_INDEX_URL: { fallback: null, meaning: 'Package index of the first start, as pip documents it' },
    PIP_NO_INDEX: { fallback: null, meaning: 'Installs without a package index, as pip documents it' },
    PIP_PROXY: { fallback: null, meaning: 'Proxy of the first start for packages, as pip documents it' },
  },
  'Keys and accounts': {
    GOOGLE_API_KEY: {
      fallback: null,
      meaning:
        'Key of Google’s models. The first key that is set [chooses the provider](../how-to/configure/models.md)',
    },
    ANTHROPIC_API_KEY: { fallback: null, meaning: 'Key of Anthropic’s models' },
    OPENAI_API_KEY: { fallback: null, meaning: 'Key of OpenAI’s models' },
    XAI_API_KEY: { fallback: null, meaning: 'Key of xAI’s models' },
    GOOGLE_APPLICATION_CREDENTIALS: { fallback: null, meaning: 'File with the account for Vertex AI' },
    GOOGLE_CLOUD_PROJECT: { fallback: null, meaning: 'Project for Vertex AI' },
    GOOGLE_CLOUD_LOCATION: { fallback: null, meaning: 'Location for Vertex AI' },
    AWS_REGION: { fallback: null, meaning: 'Region for Bedrock' },
    AWS_DEFAULT_REGION: { fallback: null, meaning: 'Region for Bedrock, if `AWS_REGION` is not set' },
    SLACK_BOT_TOKEN: { fallback: null, meaning: 'Token of the bot for [Slack](configuration/system.md)' },
    SLACK_SIGNING_SECRET: {
      fallback: null,
      meaning: 'Secret with which [Slack](../how-to/configure/slack.md) signs its requests',
    },
    SLACK_APP_TOKEN: {
      fallback: null,
      meaning: 'App-level token for the Socket Mode of [Slack](../how-to/configure/slack.md)',
    },
    GITHUB_TOKEN: { fallback: null, meaning: 'Token for runbooks on GitHub' },
  },
  'LLM service': {
    LLM_SERVICE_ADDR: {
      fallback: null,
      unset: 'TARSy starts its own',
      meaning: 'Address (`host:port`) of the [LLM service](llm-service.md) for API and workers',
    },
    GRPC_HOST: { fallback: '127.0.0.1', meaning: 'Address on which the LLM service listens' },
    GRPC_PORT: { fallback: '50051', meaning: 'Port of the LLM service; 0 = any free port' },
    LLM_FIRST_TOKEN_SECONDS: {
      fallback: '120',
      meaning: 'Time until a provider sends the first part of an answer (0.001–3600 s)',
    },
    LLM_STALL_SECONDS: {
      fallback: '60',
      meaning: 'Time between two parts of an answer (0.001–3600 s)',
    },
    OFFLINE_CHUNK_DELAY_MS: {
      fallback: '8',
      meaning: 'Pause of the `offline` backend between two parts of an answer (ms)',
    },
  },
  'Built-in host server': {
    HOST_MCP_LOG_DIRS: {
      fallback: null,
      unset: 'none',
      meaning: 'Further folders whose `*.log` files, also rotated ones, the server reads, separated by `:`',
    },
    HOST_MCP_WALK_DIRS: {
      fallback: '/',
      meaning: 'Folders whose sizes the server measures, separated by `:`',
    },
    HOST_MCP_PROBE_TARGETS: {
      fallback: null,
      unset: 'this machine only',
      meaning: 'Further targets of the tool `http_probe`, separated by commas',
    },
    HOST_MCP_CLEAN_DIR: {
      fallback: null,
      unset: 'the tool is missing',
      meaning:
        'Folder that the tool `remove_old_files` may [clean](../how-to/configure/tools-and-approvals.md#try-an-approval)',
    },
    HOST_MCP_PROC: { fallback: '/proc', meaning: 'Mount point of procfs' },
  },
  'Built-in changes server': {
    CHANGES_MCP_GIT_REPOSITORIES: {
      fallback: null,
      unset: 'none',
      meaning:
        '[Repositories](../how-to/configure/changes.md#connect-repositories) as `name=location#branch`, separated by spaces',
    },
    CHANGES_MCP_GIT_TOKEN: { fallback: null, meaning: 'Token for the `https` repositories' },
    CHANGES_MCP_TIMEOUT_SECONDS: {
      fallback: '15',
      meaning: 'Time limit of requests to the cluster (1–60 s)',
    },
    KUBERNETES_SERVICE_HOST: {
      fallback: null,
      meaning: 'Address of the cluster that a pod runs in; Kubernetes sets it',
    },
    KUBERNETES_SERVICE_PORT: { fallback: null, meaning: 'Port of that address; Kubernetes sets it' },
  },
  'Commands that call a server': {
    TARSY_URL: {
      fallback: 'http://127.0.0.1:8080',
      meaning: 'Address of the server, also below a prefix, with or without `/graphql`',
    },
    TARSY_TOKEN: { fallback: null, meaning: '[Token](../how-to/access/tokens.md) of the program' },
  },
  Deployment: DEPLOYMENT,
} as const satisfies Readonly<Record<string, Readonly<Record<string, Variable>>>>;

type Groups = typeof VARIABLE_GROUPS;
type AllOf<Union> = (Union extends unknown ? (union: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
type Variables = AllOf<Groups[keyof Groups]>;

/** Name of a variable in VARIABLE_GROUPS. */
export type VariableName = keyof Variables & string;

/** Type of a variable's fallback: `string` or `null`. */
export type Fallback<Name extends VariableName> = Variables[Name] extends { fallback: string }
  ? string
  : null;

const VARIABLES: Readonly<Record<string, Variable>> = Object.assign({}, ...Object.values(VARIABLE_GROUPS));

export function fallbackOf(name: VariableName): string | null {
  return VARIABLES[name]!.fallback;
}
