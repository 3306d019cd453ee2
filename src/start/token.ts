import { teamNames } from '../access/teams.ts';
import {
  createToken,
  findTokenId,
  listTokens,
  type NewToken,
  revokeToken,
  type TokenView,
  teamProblem,
} from '../access/tokens.ts';
import { parseCommand, renderHelp } from '../common/command-help.ts';
import { errorMessage } from '../common/error-message.ts';
import { EngineError } from '../common/errors.ts';
import { sanitizeLine } from '../common/printable.ts';
import { type Environment, readEnvironment } from '../config/env.ts';
import { loadConfig } from '../config/load.ts';
import { TOKEN_SCOPES, type TokenScope } from '../db/enums.ts';
import { openPool } from '../db/pool.ts';
import { createTransaction } from '../engine/store/database.ts';
import { runningPostgresUrl } from '../machine/embedded-postgres.ts';
import { TOKEN } from './help.ts';
import { createLogger } from './logger.ts';
import { migrate } from './wiring/app.ts';

const CONSOLE = { name: 'console', via: 'CONSOLE', address: null };

type Pool = ReturnType<typeof openPool>;

interface Io {
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
}

type ParsedToken = ReturnType<typeof parseCommand<typeof TOKEN.options>>;

type Wanted =
  | { command: 'create'; token: NewToken }
  | { command: 'list'; ended: boolean }
  | { command: 'revoke'; nameOrId: string };

/** Runs `npm run token`. @returns the exit code: 0 = done, 1 = no database, 2 = wrong usage or refused */
export async function tokenCommand(argv: readonly string[], env: NodeJS.ProcessEnv, io: Io): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h')) {
    io.stdout.write(renderHelp(TOKEN));
    return 0;
  }
  const wanted = parse(argv);
  if (typeof wanted === 'string') {
    io.stderr.write(`${wanted}\n\n${renderHelp(TOKEN)}`);
    return 2;
  }
  const environment = readEnvironment(env);
  if (wanted.command === 'create' && wanted.token.team !== null) {
    const { access } = await loadConfig({ dir: environment.configDir, env });
    const problem = teamProblem(wanted.token, teamNames(access));
    if (problem !== null) {
      io.stderr.write(`${problem}\n`);
      return 2;
    }
  }
  return onDatabase(environment, io, (pool) => {
    if (wanted.command === 'list') return list(pool, wanted.ended, io);
    if (wanted.command === 'revoke') return revoke(pool, wanted.nameOrId, io);
    return create(pool, wanted.token, io);
  });
}

/** Runs `work` on the migrated database. @returns the exit code */
async function onDatabase(
  environment: Environment,
  io: Io,
  work: (pool: Pool) => Promise<void>,
): Promise<number> {
  const url = environment.databaseUrl ?? runningPostgresUrl(environment.home);
  if (url === null) {
    io.stderr.write('No database: start TARSy here first, or set DATABASE_URL.\n');
    return 1;
  }
  const logger = createLogger({ ...environment, logLevel: 'warn' });
  await migrate(url, logger);
  const pool = openPool(url, { max: 1, application: 'tarsy-token', logger });
  try {
    await work(pool);
    return 0;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    io.stderr.write(`${error.message}\n`);
    return 2;
  } finally {
    await pool.end();
  }
}

async function create(pool: Pool, wanted: NewToken, io: Io): Promise<void> {
  const transaction = createTransaction(pool, { publish: async () => {} });
  const { token, secret } = await transaction((tx) => createToken(tx, wanted, CONSOLE));
  const end = token.expiresAt === null ? 'does not expire' : `expires ${token.expiresAt.toISOString()}`;
  io.stderr.write(`Token "${token.name}" (${token.scopes.join(', ')}; ${end}). Shown only this once:\n`);
  io.stdout.write(`${secret}\n`);
}

async function list(pool: Pool, ended: boolean, io: Io): Promise<void> {
  const all = await listTokens(pool);
  const shown = ended ? all : all.filter(isActive);
  if (shown.length === 0) io.stderr.write(ended ? 'There is no token.\n' : 'There is no active token.\n');
  for (const token of shown) io.stdout.write(`${describe(token)}\n`);
}

async function revoke(pool: Pool, nameOrId: string, io: Io): Promise<void> {
  const transaction = createTransaction(pool, { publish: async () => {} });
  const token = await transaction(async (tx) => revokeToken(tx, await findTokenId(tx, nameOrId), CONSOLE));
  io.stdout.write(`Revoked: ${describe(token)}\n`);
}

const isActive = ({ revokedAt, suspendedAt, expiresAt }: TokenView): boolean =>
  revokedAt === null && suspendedAt === null && (expiresAt === null || expiresAt.getTime() > Date.now());

/** Returns a line about the token, with tabs between the columns. */
function describe(token: TokenView): string {
  const { id, name, prefix, scopes, team, createdBy, createdAt, lastUsedAt, owner } = token;
  const columns = [
    id,
    name,
    `${prefix}…`,
    scopes.join(','),
    team === null ? 'no team' : `team ${team}`,
    stateOf(token),
    `created ${createdAt.toISOString()} by ${createdBy}${owner === null ? '' : `, belongs to ${owner}`}`,
    lastUsedAt === null ? 'never used' : `used ${lastUsedAt.toISOString()}`,
  ];
  return columns.map(sanitizeLine).join('\t');
}

function stateOf(token: TokenView): string {
  const { revokedAt, suspendedAt, expiresAt } = token;
  if (revokedAt !== null) return `revoked ${revokedAt.toISOString()}`;
  if (suspendedAt !== null) return `suspended ${suspendedAt.toISOString()}`;
  if (expiresAt === null) return 'does not expire';
  return `${isActive(token) ? 'expires' : 'expired'} ${expiresAt.toISOString()}`;
}

/** Returns what the command line asks for, or a message about what is wrong with it. */
function parse(argv: readonly string[]): Wanted | string {
  let parsed: ParsedToken;
  try {
    parsed = parseCommand(TOKEN, argv);
  } catch (error) {
    return errorMessage(error);
  }
  const { values, positionals } = parsed;
  const [command, name, ...more] = positionals;
  const [option] = Object.keys(values).filter((key) => !OPTIONS[command ?? '']?.includes(key));
  if (command === undefined || OPTIONS[command] === undefined)
    return 'Use create <name>, list, or revoke <name or id>.';
  if (more.length > 0) return `Unexpected: ${more.join(' ')}. Commas separate scopes: --scopes READ,CHAT.`;
  if (option !== undefined) return `${command} has no option --${option}.`;
  if (command === 'list')
    return name === undefined ? { command, ended: values.all === true } : 'list takes no name.';
  if (name === undefined) return `Say: ${command} ${command === 'create' ? '<name>' : '<name or id>'}.`;
  return command === 'revoke' ? { command, nameOrId: name } : parseNew(name, values);
}

/** Options by command. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  create: ['scopes', 'team', 'expires-days'],
  list: ['all'],
  revoke: [],
};

function parseNew(name: string, values: ParsedToken['values']): Wanted | string {
  const scopes = (values.scopes ?? '')
    .toUpperCase()
    .split(',')
    .map((scope) => scope.trim())
    .filter(Boolean);
  const unknown = scopes.filter((scope) => !(TOKEN_SCOPES as readonly string[]).includes(scope));
  if (scopes.length === 0) return 'Give the scopes of the token with --scopes.';
  if (unknown.length > 0) return `Unknown scope: ${unknown.join(', ')}.`;
  const days = values['expires-days'];
  if (days !== undefined && !/^[1-9]\d{0,4}$/.test(days))
    return '--expires-days must be a whole number of days.';
  const expiresAt = days === undefined ? null : new Date(Date.now() + Number(days) * 24 * 3_600_000);
  const token = { name, scopes: scopes as TokenScope[], team: values.team ?? null, expiresAt };
  return { command: 'create', token };
}
