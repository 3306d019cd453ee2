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

Creates a token for a program and prints it once. Uses the database of DATABASE_URL, else that of the TARSy that runs here.
Users without access to the server create tokens with the API (createApiToken).

Scopes: ${TOKEN_SCOPES.join(', ')}
Team: the configured team that owns the alerts sent with the token. The token sees what belongs to this team (* = every team) or
to no team. Without a team it sees what belongs to no team; with ADMIN or without configured teams, everything.
`;

const CONSOLE = { name: 'console', via: 'CONSOLE', address: null };

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
  const wanted = parse(argv);
  if (typeof wanted === 'string') {
    io.stderr.write(`${wanted}\n\n${USAGE}`);
    return 2;
  }
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

/** Returns the token to create, or a message about what is wrong with the command line. */
function parse(argv: readonly string[]): NewToken | string {
  let parsed: ReturnType<typeof parseCommand>;
  try {
    parsed = parseCommand(argv);
  } catch (error) {
    return errorMessage(error);
  }
  const { values, positionals } = parsed;
  const [command, name, ...more] = positionals;
  if (command !== 'create' || name === undefined || more.length > 0) return 'Say: create <name>.';
  const scopes = (values.scopes ?? '')
    .toUpperCase()
    .split(',')
    .map((scope) => scope.trim())
    .filter(Boolean);
  const unknown = scopes.filter((scope) => !(TOKEN_SCOPES as readonly string[]).includes(scope));
  if (scopes.length === 0) return 'Say with --scopes what the token may do.';
  if (unknown.length > 0) return `There is no scope ${unknown.join(', ')}.`;
  const days = values['expires-days'];
  if (days !== undefined && !/^[1-9]\d{0,4}$/.test(days)) return '--expires-days is a whole number of days.';
  const expiresAt = days === undefined ? null : new Date(Date.now() + Number(days) * 24 * 3_600_000);
  return { name, scopes: scopes as TokenScope[], team: values.team ?? null, expiresAt };
}

function parseCommand(argv: readonly string[]) {
  return parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { scopes: { type: 'string' }, team: { type: 'string' }, 'expires-days': { type: 'string' } },
  });
}
