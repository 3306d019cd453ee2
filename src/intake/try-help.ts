import type { CommandHelp } from '../common/command-help.ts';

export const INTAKE_TRY = {
  command: 'npm run intake:try',
  summary: 'Shows how a delivery of a monitoring system is processed, without storing it',
  usage: ["SOURCE FILE|- [--header 'NAME: VALUE' …]"],
  details: [
    'Prints the alerts, their groups and rules, the decision about each group if it were new, and the text that agents receive. No token or signature is required.',
    'SOURCE is a name under intake.sources. A FILE of - is standard input.',
  ],
  options: {
    header: {
      value: "'NAME: VALUE'",
      short: 'H',
      multiple: true,
      meaning:
        'header of the delivery; some types need one, such as Content-Type, sentry-hook-resource, x-amz-sns-rawdelivery and ce-*',
    },
  },
  environment: { CONFIG_DIR: 'folder of the configuration' },
  exits: {
    0: 'the delivery is readable',
    1: 'the delivery would be refused',
    2: 'wrong usage, unknown source, or the file cannot be read',
  },
  examples: ['npm run intake:try -- prometheus delivery.json'],
} as const satisfies CommandHelp;
