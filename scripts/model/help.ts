import type { CommandHelp } from '../../src/common/command-help.ts';

export const DEFAULT_PORT = 8099;

export const MODEL_LOCAL = {
  command: 'npm run model:local',
  summary: 'Serves a small real model on this machine, at OpenAI’s API, until Ctrl-C',
  usage: ['[--port PORT]'],
  details: [],
  options: {
    port: { value: 'PORT', meaning: `port to listen on (default: ${DEFAULT_PORT}; 0 = any free port)` },
  },
  environment: {},
  exits: { 0: 'stopped', 1: 'the model could not start, or ended', 2: 'wrong usage' },
  examples: ['npm run model:local -- --port 8100'],
} as const satisfies CommandHelp;
