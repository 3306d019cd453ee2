import type { CommandHelp } from '../common/command-help.ts';

export const DEFAULT_URL = 'http://127.0.0.1:8080/graphql';

export const url = {
  value: 'URL',
  meaning: `address of the server (default: TARSY_URL, else ${DEFAULT_URL})`,
};

/** Returns the variables of a command that calls a server. @param scopes of the token */
export const environment = (scopes: string) => ({
  TARSY_URL: 'see --url',
  TARSY_TOKEN: `token with ${scopes}, if the server requires one; never an argument, because every process of the machine can read arguments`,
});

export const ALERT = {
  command: 'npm run alert',
  summary: 'Submits an alert and shows its investigation as it runs',
  usage: ['[options] TEXT', '[options] --file PATH', '[options] < FILE'],
  details: [],
  options: {
    file: { value: 'PATH', meaning: 'read the alert from a file; - is standard input' },
    type: { value: 'NAME', meaning: 'alert type, which selects the chain (default: that of the server)' },
    runbook: { value: 'URL', meaning: 'runbook for this alert' },
    json: { meaning: 'print one JSON object per event, and a summary as the last line' },
    url,
  },
  environment: environment('the scopes READ and SUBMIT_ALERTS'),
  exits: {
    0: 'the investigation completed',
    1: 'the investigation failed',
    2: 'wrong input, or refused by the server',
    3: 'the investigation was cancelled',
    4: 'the investigation timed out',
    5: 'the server is unreachable',
    130: 'interrupted; the investigation continues',
    141: 'the reader of the output closed the pipe',
  },
  examples: [
    'npm run alert -- "Disk almost full on this host: / above 90%"',
    'npm run alert -- --file alert.json',
    'journalctl -u app | npm run alert -- --type kubernetes',
  ],
} as const satisfies CommandHelp;

/** Exit statuses of commands with one request. */
export const CALL_EXITS = {
  0: 'done',
  2: 'wrong usage, or refused by the server',
  5: 'the server is unreachable',
};

export const APPROVALS = {
  command: 'npm run approvals',
  summary: 'Lists tool calls that wait for approval, and decides on them',
  usage: ['list', 'approve ID HASH [--comment TEXT]', 'deny ID HASH [--comment TEXT]'],
  details: [
    'ID and HASH are in the list. The hash covers the arguments that you saw; changed arguments are not approved.',
  ],
  options: {
    comment: { value: 'TEXT', meaning: 'reason; the agent gets it when the call is denied' },
    url,
  },
  environment: environment('the scopes READ and APPROVE'),
  exits: CALL_EXITS,
  examples: ['npm run approvals -- list'],
} as const satisfies CommandHelp;

export const EXPORT_FORMATS = ['markdown', 'json', 'postmortem'] as const;

export const EXPORT = {
  command: 'npm run export',
  summary: 'Prints a session as a text on standard output',
  usage: ['ID [--format FORMAT]'],
  details: ['ID is the id of the session, as in the URL of its page.'],
  options: {
    format: { value: 'FORMAT', meaning: `one of ${EXPORT_FORMATS.join(', ')} (default: markdown)` },
    url,
  },
  environment: environment('the scope READ'),
  exits: { ...CALL_EXITS, 2: 'wrong usage, no such session, or refused by the server' },
  examples: ['npm run --silent export -- "$SESSION" --format postmortem > postmortem.md'],
} as const satisfies CommandHelp;
