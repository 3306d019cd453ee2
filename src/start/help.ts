import type { CommandHelp } from '../common/command-help.ts';
import { TOKEN_SCOPES } from '../db/enums.ts';

const NONE = { usage: [], details: [], options: {}, examples: [] } as const;

const DATABASE = { DATABASE_URL: 'database; required' };

/** Exit statuses of commands that run until they are stopped. */
const SERVES = {
  0: 'stopped by a signal',
  1: 'could not start, failed, or did not stop in time',
  2: 'wrong usage',
  130: 'interrupted during the start, or by a second signal',
};

export const START = {
  ...NONE,
  command: 'npm start',
  summary: 'Runs everything in one process: database, LLM service, workers, API and dashboard',
  environment: {
    DATABASE_URL: 'uses this database instead of starting one',
    LLM_SERVICE_ADDR: 'uses this LLM service instead of starting one',
  },
  exits: SERVES,
} as const satisfies CommandHelp;

export const API = {
  ...NONE,
  command: 'npm run api',
  summary: 'Runs API and dashboard only',
  environment: { ...DATABASE, TARSY_KEY: 'key of all processes; required if auth.mode is oidc' },
  exits: SERVES,
} as const satisfies CommandHelp;

export const WORKER = {
  ...NONE,
  command: 'npm run worker',
  summary: 'Runs investigations only',
  environment: { ...DATABASE, LLM_SERVICE_ADDR: 'LLM service; required', TARSY_KEY: 'key of all processes' },
  exits: SERVES,
} as const satisfies CommandHelp;

export const MIGRATE = {
  ...NONE,
  command: 'npm run migrate',
  summary: 'Upgrades the schema of the database, then exits',
  environment: DATABASE,
  exits: { 0: 'the schema is current', 1: 'failed', 2: 'wrong usage' },
} as const satisfies CommandHelp;

export const CONFIG_CHECK = {
  ...NONE,
  command: 'npm run config:check',
  summary: 'Checks the configuration and prints it, with secrets as ***',
  environment: { CONFIG_DIR: 'folder of the configuration' },
  exits: { 0: 'valid; warnings are comments at the beginning', 1: 'invalid', 2: 'wrong usage' },
  examples: ['npm run --silent config:check'],
} as const satisfies CommandHelp;

export const TOKEN = {
  command: 'npm run token',
  summary: 'Creates, lists or revokes API tokens of programs',
  usage: [
    `create NAME --scopes ${TOKEN_SCOPES.slice(0, 2).join(',')} [--team TEAM] [--expires-days DAYS]`,
    'list [--all]',
    'revoke NAME|ID',
  ],
  details: [
    'The command create prints the token once. The command revoke ends a token at once.',
    'Users without access to the server use the API (createApiToken, apiTokens, revokeApiToken) or the dashboard.',
    `Scopes: ${TOKEN_SCOPES.join(', ')}`,
  ],
  options: {
    scopes: { value: 'SCOPES', meaning: 'create: scopes of the token, separated by commas; required' },
    team: {
      value: 'TEAM',
      meaning:
        'create: configured team that owns the alerts sent with the token. The token sees what belongs to this team (* = every team) or to no team. Without a team it sees what belongs to no team; with ADMIN or without configured teams, everything',
    },
    'expires-days': { value: 'DAYS', meaning: 'create: days after which the token expires (1–99999)' },
    all: { meaning: 'list: also tokens that are revoked or expired' },
  },
  environment: { DATABASE_URL: 'database (default: that of the TARSy that runs here)' },
  exits: { 0: 'done', 1: 'no database', 2: 'wrong usage, or refused' },
  examples: [
    'npm run token -- create ci --scopes READ,SUBMIT_ALERTS --expires-days 90',
    'npm run token -- list',
  ],
} as const satisfies CommandHelp;
