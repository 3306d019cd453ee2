import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';

/** The imports that a room's files may use, in addition to the room's own files and Node's modules. */
interface Room {
  /** Other rooms that may be imported: folders and files of `src`. */
  rooms: readonly string[];
  packages: readonly string[];
}

/** Rooms of the engine, from the lowest level up. A room may import rooms of lower levels, not of its own level. */
const ENGINE_LEVELS: readonly (readonly string[])[] = [
  ['common'],
  ['api'],
  ['live'],
  ['store'],
  ['prompt-text'],
  ['model'],
  [
    'features/report/verify',
    'features/budgets',
    'features/cases',
    'features/skills',
    'features/slack',
    'features/export',
    'alert',
  ],
  ['features/tool-outputs', 'features/memory', 'features/notifications'],
  ['run-context'],
  ['features/approvals'],
  ['agent'],
  ['features/sub-agents', 'features/report'],
  ['features/scoring', 'features/hypotheses'],
  ['investigation'],
  ['worker'],
  ['sessions'],
];

/**
 * Rooms and packages outside the engine that the engine's rooms may import: neither GraphQL nor the job
 * queue.
 */
const BESIDE_ENGINE: Room = {
  rooms: [
    'access',
    'audit.ts',
    'cases',
    'common',
    'config',
    'db',
    'masking',
    'mcp',
    'runbooks',
    'warnings.ts',
  ],
  packages: [
    '@grpc/*',
    '@nats-io/transport-node',
    '@pydantic/genai-prices',
    '@slack/web-api',
    'pg',
    'pino',
    're2js',
    'uuid',
    'yaml',
    'zod',
  ],
};

function engineRooms(): Record<string, Room> {
  return Object.fromEntries(
    ENGINE_LEVELS.flatMap((level, at) => {
      const below = ENGINE_LEVELS.slice(0, at)
        .flat()
        .map((room) => `engine/${room}`);
      return level.map((room) => [
        `engine/${room}`,
        { ...BESIDE_ENGINE, rooms: [...BESIDE_ENGINE.rooms, ...below] },
      ]);
    }),
  );
}

/**
 * The rooms of `src` from the lowest layer up, with the imports of each. Rooms may contain further rooms.
 * Imports that are not listed are forbidden, so that every new dependency shows in this file.
 */
export const ROOMS: Readonly<Record<string, Room>> = {
  // Small helpers that do not depend on TARSy's domain.
  common: { rooms: [], packages: ['pino', 'uuid'] },
  // Proxies and certificate authorities of all outgoing HTTP.
  outgoing: { rooms: [], packages: ['undici'] },
  config: { rooms: ['common'], packages: ['croner', 'ipaddr.js', 're2js', 'yaml', 'zod'] },
  // Everything local to a machine: child processes, locks, the embedded PostgreSQL, the LLM service's Python.
  machine: { rooms: ['common', 'outgoing'], packages: ['@grpc/grpc-js', 'pg', 'pino'] },
  db: { rooms: ['common', 'config'], packages: ['@mikro-orm/*', 'pg', 'pino'] },
  'warnings.ts': { rooms: ['common', 'db'], packages: ['pino'] },
  'audit.ts': { rooms: ['common', 'db'], packages: [] },
  access: { rooms: ['audit.ts', 'common', 'config', 'db'], packages: ['pino'] },
  masking: { rooms: ['common', 'config', 'warnings.ts'], packages: ['pino'] },
  // The format of cases, which the command line and the server share.
  cases: { rooms: ['common', 'db'], packages: ['re2js', 'yaml', 'zod'] },
  runbooks: {
    rooms: ['common', 'config', 'outgoing', 'warnings.ts'],
    packages: ['ipaddr.js', 'parse5', 'pino', 'undici', 'zod'],
  },
  mcp: {
    rooms: ['common', 'config', 'db', 'machine', 'masking', 'outgoing', 'warnings.ts'],
    packages: ['@modelcontextprotocol/client', 'ajv', 'pino', 'yaml', 'zod'],
  },
  ...engineRooms(),
  // Wires the engine's rooms. Rooms that list `engine` may import every room of the engine.
  engine: BESIDE_ENGINE,
  intake: {
    rooms: ['audit.ts', 'common', 'config', 'db', 'engine', 'masking', 'warnings.ts'],
    packages: ['pino'],
  },
  // Investigations that start by themselves.
  schedules: {
    rooms: ['access', 'audit.ts', 'common', 'config', 'db', 'engine', 'warnings.ts'],
    packages: ['pino'],
  },
  // Notifications by e-mail, chat and webhooks, and notes at the senders of alerts.
  notify: {
    rooms: ['common', 'config', 'db', 'engine', 'outgoing', 'runbooks', 'warnings.ts'],
    packages: ['nodemailer', 'pino', 'standardwebhooks', 'undici', 'zod'],
  },
  // Requests of users in Slack. `http` and Socket Mode deliver them, jobs handle them.
  slack: {
    rooms: ['access', 'audit.ts', 'common', 'config', 'db', 'engine', 'intake', 'outgoing'],
    packages: ['@slack/socket-mode', 'pino', 'zod'],
  },
  jobs: {
    rooms: ['common', 'config', 'db', 'engine', 'slack'],
    packages: ['graphile-worker', 'pg', 'pino', 'zod'],
  },
  // Types and root fields of the GraphQL API. `resolvers` implements their reads and imports this room.
  schema: {
    rooms: ['access', 'cases', 'common', 'config', 'db', 'engine', 'intake', 'runbooks', 'schedules'],
    packages: ['@pothos/*', 'dataloader', 'graphql', 'zod'],
  },
  resolvers: {
    rooms: ['access', 'cases', 'common', 'config', 'db', 'engine', 'intake', 'schema', 'warnings.ts'],
    packages: ['@mikro-orm/core', 'dataloader', 'graphql', 'pg', 'zod'],
  },
  http: {
    rooms: [
      'access',
      'common',
      'config',
      'db',
      'engine',
      'intake',
      'resolvers',
      'schedules',
      'schema',
      'slack',
    ],
    packages: [
      '@graphql-yoga/render-graphiql',
      '@modelcontextprotocol/node',
      '@modelcontextprotocol/server',
      'compression',
      'graphql',
      'graphql-ws',
      'graphql-yoga',
      'ipaddr.js',
      'jose',
      'openid-client',
      'pg',
      'pino',
      'ws',
      'zod',
    ],
  },
  telemetry: {
    rooms: ['common', 'config', 'db', 'engine', 'http', 'outgoing'],
    packages: ['@opentelemetry/*', 'pg', 'pino', 'prom-client'],
  },
  // A client of the API, without access to the server's code.
  cli: { rooms: ['cases', 'common', 'outgoing'], packages: ['graphql-ws', 'graphql-yoga', 'ws', 'zod'] },
  // Each built-in MCP server runs as its own process.
  'mcp-servers': {
    rooms: ['common', 'masking', 'outgoing'],
    packages: ['@modelcontextprotocol/sdk', 'diff', 'yaml', 'zod'],
  },
  // Stores the configuration with which each process runs.
  'config-report': { rooms: ['common', 'config', 'db', 'engine'], packages: ['pino'] },
  // Creates the services of a process and connects them, one file per service.
  'start/wiring': {
    rooms: [
      'access',
      'audit.ts',
      'common',
      'config',
      'config-report',
      'db',
      'engine',
      'http',
      'intake',
      'jobs',
      'machine',
      'masking',
      'mcp',
      'notify',
      'runbooks',
      'schedules',
      'slack',
      'telemetry',
      'warnings.ts',
    ],
    packages: ['pg', 'pino'],
  },
  start: {
    rooms: ['access', 'common', 'config', 'db', 'engine', 'machine', 'masking', 'start/wiring'],
    packages: ['pino', 'pino-pretty'],
  },
  'commands.ts': { rooms: ['cli', 'common', 'intake', 'start'], packages: [] },
  'main.ts': {
    rooms: ['cli', 'commands.ts', 'common', 'config', 'intake', 'outgoing', 'start'],
    packages: [],
  },
};

/** Returns the forbidden imports in `src`, one line each. Tests may import anything. */
export function forbiddenImports(root: string): string[] {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('fixtures'))
    .flatMap((file) => forbiddenIn(file.replaceAll(sep, '/'), readFileSync(join(root, 'src', file), 'utf8')));
}

/** Matches imports and re-exports in the formatter's layout. */
const IMPORT = /^(?:import(?:\s[^'";]*\sfrom)?|export\s[^'";=(]*\sfrom)\s'([^']+)'|\bimport\(\s*'([^']+)'/gm;

/** Returns the forbidden imports of a file. @param file path in `src` */
export function forbiddenIn(file: string, text: string): string[] {
  const room = roomOf(file);
  if (room === null) return [`src/${file} is in no room: list it in scripts/lib/import-directions.ts`];
  const targets = [...text.matchAll(IMPORT)].map(([, named, dynamic]) => named ?? dynamic ?? '');
  return targets.filter((target) => !mayImport(file, room, target)).map((target) => `src/${file}: ${target}`);
}

function mayImport(file: string, room: string, target: string): boolean {
  if (target.startsWith('node:')) return true;
  const allowed = ROOMS[room]!;
  if (!target.startsWith('.')) return allowed.packages.some((pattern) => isOf(target, pattern));
  const other = roomOf(normalize(join(dirname(file), target)).replaceAll(sep, '/'));
  return other !== null && [room, ...allowed.rooms].some((name) => `${other}/`.startsWith(`${name}/`));
}

/** Returns true if the pattern allows the package or a file in it. `@scope/*` allows a whole scope. */
function isOf(target: string, pattern: string): boolean {
  return pattern.endsWith('/*')
    ? target.startsWith(pattern.slice(0, -1))
    : target === pattern || target.startsWith(`${pattern}/`);
}

/** Returns the most specific room that contains the file; `null` if there is none. */
function roomOf(file: string): string | null {
  for (let path = file; path !== '.'; path = dirname(path)) if (path in ROOMS) return path;
  return null;
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..');
  const forbidden = forbiddenImports(root);
  for (const line of forbidden) process.stdout.write(`${line}\n`);
  if (forbidden.length > 0) {
    process.stdout.write(
      `${relative(root, import.meta.filename)} says what each room may import: find another way, or say why it may.\n`,
    );
    process.exitCode = 1;
  }
}
