import { parseArgs } from 'node:util';
import { teamNames } from '../access/teams.ts';
import { createToken, type NewToken, teamProblem } from '../access/tokens.ts';
import { errorMessage } from '../common/error-message.ts';
import { readEnvironment } from '../config/env.ts';
import { loadConfig } from '../config/load.ts';
import { TOKEN_SCOPES, type TokenScope } from '../db/enums.ts';
import { openPool } from '../db/pool.ts';
import { createTransaction } from '../engine/store/database.ts';
import { runningPostgresUrl } from '../machine/embedded-postgres.ts';
import { createLogger } from './logger.ts';
import { migrate } from './wiring/app.ts';

const USAGE = `Usage: npm run token -- create <name> --scopes ${TOKEN_SCOPES.slice(0, 2).join(',')} [--team <team>] [--expires-days 90]

Makes a token for a program and prints it, this once. For who has the server itself, such as for the first token; others use
the API (createApiToken). DATABASE_URL says where; without it the database of the TARSy that runs here.

Scopes: ${TOKEN_SCOPES.join(', ')}
Team: one of the configuration, whose the alerts are that are sent with it, and which it sees besides what is of none; or *, every
team. Without it the token sees what is of none, or with ADMIN, or where no teams are configured, everything.
`;

/** Recorded as the creator of the token. */
const CONSOLE = { name: 'console', via: 'CONSOLE', address: null };

const DAY_MS = 24 * 3_600_000;

interface Io {
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
}

/** Runs `npm run token`. @returns the exit code: 0 = created, 1 = no database, 2 = wrong usage */
export async function tokenCommand(argv: readonly string[], env: NodeJS.ProcessEnv, io: Io): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h')) {
    io.stdout.write(USAGE);
    return 0;
  }
  const parsed = parse(argv);
  if (parsed.kind === 'invalid') {
    io.stderr.write(`${parsed.problem}${USAGE}`);
    return 2;
  }
  const wanted = parsed.token;
  const environment = readEnvironment(env);
  if (wanted.team !== null) {
    const { access } = await loadConfig({ dir: environment.configDir, env });
    const problem = teamProblem(wanted, teamNames(access));
    if (problem !== null) {
      io.stderr.write(`${problem}\n`);
      return 2;
    }
  }
  const url = environment.databaseUrl ?? runningPostgresUrl(environment.home);
  if (url === null) {
    io.stderr.write('No database: start TARSy here first, or set DATABASE_URL.\n');
    return 1;
  }
  const logger = createLogger({ ...environment, logLevel: 'warn' });
  await migrate(url, logger);
  const pool = openPool(url, { max: 1, application: 'tarsy-token', logger });
  try {
    const transaction = createTransaction(pool, { publish: async () => {} });
    const { token, secret } = await transaction((tx) => createToken(tx, wanted, CONSOLE));
    const end = token.expiresAt === null ? 'does not expire' : `expires ${token.expiresAt.toISOString()}`;
    io.stderr.write(`Token "${token.name}" (${token.scopes.join(', ')}; ${end}). It is shown this once:\n`);
    io.stdout.write(`${secret}\n`);
    return 0;
  } finally {
    await pool.end();
  }
}

type ParsedCommand = { kind: 'create'; token: NewToken } | { kind: 'invalid'; problem: string };

const invalid = (problem: string): ParsedCommand => ({ kind: 'invalid', problem });

function parse(argv: readonly string[]): ParsedCommand {
  let parsed: ReturnType<typeof parseCommand>;
  try {
    parsed = parseCommand(argv);
  } catch (error) {
    return invalid(`${errorMessage(error)}\n\n`);
  }
  const { values, positionals } = parsed;
  const [command, name, ...more] = positionals;
  if (command !== 'create' || name === undefined || more.length > 0) return invalid('');
  const scopes = (values.scopes ?? '')
    .toUpperCase()
    .split(',')
    .map((scope) => scope.trim())
    .filter(Boolean);
  const unknown = scopes.filter((scope) => !(TOKEN_SCOPES as readonly string[]).includes(scope));
  if (scopes.length === 0) return invalid('Say with --scopes what the token may do.\n\n');
  if (unknown.length > 0) return invalid(`There is no scope ${unknown.join(', ')}.\n\n`);
  const days = values['expires-days'];
  if (days !== undefined && !/^[1-9]\d{0,4}$/.test(days))
    return invalid('--expires-days is a whole number of days.\n\n');
  const expiresAt = days === undefined ? null : new Date(Date.now() + Number(days) * DAY_MS);
  const token = { name, scopes: scopes as TokenScope[], team: values.team ?? null, expiresAt };
  return { kind: 'create', token };
}

function parseCommand(argv: readonly string[]) {
  return parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { scopes: { type: 'string' }, team: { type: 'string' }, 'expires-days': { type: 'string' } },
  });
}
