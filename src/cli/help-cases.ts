import { IMPORT_FORMATS } from '../cases/import/import-cases.ts';
import type { CommandHelp } from '../common/command-help.ts';
import { CALL_EXITS, environment, url } from './help.ts';

export const CASE = {
  command: 'npm run case',
  summary: 'Makes, lists, exports, imports and checks cases, which are frozen investigations',
  usage: [
    'list [SEARCH]',
    'create SESSION --name NAME',
    'export ID FOLDER',
    'import PATH',
    'check PATH',
    'delete ID',
  ],
  details: [
    'SESSION is the id of an ended session. PATH is the folder of a case, or a folder with such folders; import sends nothing if one of them is broken, and check only reads them.',
  ],
  options: {
    name: { value: 'NAME', meaning: 'name of the new case: lower-case letters, digits, dots, - and _' },
    url,
  },
  environment: environment('the scopes READ and REVIEW'),
  exits: { ...CALL_EXITS, 2: 'wrong usage, a broken case, or refused by the server' },
  examples: [
    'npm run case -- create "$SESSION" --name disk-full',
    'npm run case -- export "$CASE" cases/disk-full',
    'npm run case -- check cases',
  ],
} as const satisfies CommandHelp;

export const CASE_IMPORT = {
  command: 'npm run case:import',
  summary: 'Writes cases of a public suite that you have as case folders',
  usage: ['FORMAT FOLDER [options]'],
  details: [
    `FORMAT: ${IMPORT_FORMATS.join(', ')}. FOLDER is one case of the suite, or a folder with many at any depth.`,
    'A case is written as a whole or not at all. Name the whole suite, because the causes to choose from are those of all its cases. No server is needed.',
  ],
  options: {
    out: { value: 'FOLDER', meaning: 'where the case folders are written (default: cases)' },
    'alert-type': { value: 'NAME', meaning: 'alert type, which selects the chain (default: kubernetes)' },
    server: {
      value: 'NAME',
      meaning: 'MCP server of your configuration that has the tools in a replay (default: kubernetes-server)',
    },
    'recorded-at': {
      value: 'TIME',
      meaning: 'time that agents are told is now, ISO 8601 (default: from the files)',
    },
  },
  environment: {},
  exits: {
    0: 'written, except for entries in which the format has no case',
    1: 'a case is broken; the others are written',
    2: 'wrong usage, or there is nothing to import',
  },
  examples: [
    'npm run case:import -- cloud-opsbench Cloud-OpsBench/benchmark --out cases/cloud-opsbench',
    'npm run case:import -- holmesgpt holmesgpt/tests/llm/fixtures --out cases/holmesgpt',
    'npm run case:import -- opensre opensre/tests/synthetic --out cases/opensre',
    'npm run case:import -- runlore runlore/examples/eval --recorded-at 2026-01-02T03:04:05Z',
  ],
} as const satisfies CommandHelp;

export const REPLAY_HELP = {
  command: 'npm run replay',
  summary: 'Replays cases on a server, compares the reports with what the cases expect, and prints a table',
  usage: ['[options] PATH|ID...'],
  details: [
    'PATH is the folder of a case, or a folder with such folders; ID is a case of the server.',
    'The result file holds every replay that was started. The same command resumes after an interruption, and ends at once if all replays have ended.',
  ],
  options: {
    provider: {
      value: 'NAME',
      meaning: 'LLM provider of every model call; may be repeated (default: as configured)',
      multiple: true,
    },
    runs: { value: 'N', meaning: 'replays of each case with each provider, 1–100 (default: 1)' },
    'at-least': { value: 'K', meaning: 'runs of each case that must pass (default: all)' },
    concurrency: { value: 'N', meaning: 'replays at once, 1–50 (default: 2)' },
    budget: { value: 'USD', meaning: 'start no further replay once the known cost reaches this amount' },
    out: { value: 'FILE', meaning: 'result file, JSON (default: replay-results.json)' },
    junit: { value: 'FILE', meaning: 'also write the result as JUnit XML' },
    baseline: { value: 'FILE', meaning: 'compare with the result file of an earlier run' },
    nightly: {
      value: 'FOLDER',
      meaning:
        'keep a result file of each run in this folder instead of --out, compare with the run before, and write the trend as index.html',
    },
    url,
  },
  environment: environment('the scopes READ and REVIEW'),
  exits: {
    0: 'all cases passed',
    1: 'a case failed, a replay was confidently wrong, or a case is worse than in the earlier results',
    2: 'wrong usage, a broken case, or refused by the server',
    3: 'nothing failed, but a case is inconclusive or was not run because of the budget',
    5: 'the server is unreachable',
    130: 'interrupted; the same command resumes',
  },
  examples: [
    'npm run replay -- cases',
    'npm run replay -- cases --provider offline --runs 3 --at-least 2 --junit replay.xml',
    'npm run replay -- cases --out new.json --baseline old.json',
    'npm run replay -- deploy/scenarios --provider offline --nightly nightly',
  ],
} as const satisfies CommandHelp;

export const SCENARIO = {
  command: 'npm run scenario',
  summary: 'Plays an incident on a running server, without a cluster, and checks the report',
  usage: ['', '[options] NAME'],
  details: [
    'Without NAME, lists the scenarios. Each has a healthy twin: the same alert, with nothing wrong in the data.',
    'The scenario becomes a case of the server. A replay of this case runs as every investigation does, with the tools and the data of the scenario.',
  ],
  options: {
    provider: { value: 'NAME', meaning: 'LLM provider of every model call (default: as configured)' },
    url,
  },
  environment: environment('the scopes READ and REVIEW'),
  exits: {
    0: 'the report is as expected',
    1: 'a check failed, or the investigation failed',
    2: 'wrong usage, or refused by the server',
    3: 'cancelled, or inconclusive',
    5: 'the server is unreachable',
    130: 'interrupted; the replay continues on the server',
  },
  examples: ['npm run scenario', 'npm run scenario -- crash-loop', 'npm run scenario -- crash-loop-healthy'],
} as const satisfies CommandHelp;
