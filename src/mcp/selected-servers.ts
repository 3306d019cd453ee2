import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { connect, type McpConnection } from './connection.ts';
import { describeFailure } from './failures.ts';
import type { SessionPool } from './session-pool.ts';
import type { ListedTool, McpSelection, McpServerSettings } from './types.ts';

export interface ConnectedServer {
  name: string;
  wanted: readonly string[] | null;
  connection: McpConnection;
  listed: ListedTool[];
}

export interface SelectedServers {
  /** Returns the servers available now, in the order of the selection. */
  connected(): ConnectedServer[];
  /** Unavailable servers by name, with the masked reason. */
  unavailable: Map<string, string>;
  /** Closes every connection. Abort the lifetime first. */
  close(): Promise<void>;
}

export interface ServerSelectionDeps {
  servers: ReadonlyMap<string, McpServerSettings>;
  selection: McpSelection;
  logger: Logger;
  limits: {
    initTimeoutMs: number;
  };
  /** Returns the servers that were unavailable at their last check, with the reason. Never rejects. */
  knownUnavailable?: () => Promise<ReadonlyMap<string, string>>;
  /** Pool for the sessions of servers with `reuse`. Without it, each session is opened and ended here. */
  sessionPool?: SessionPool | undefined;
}

interface ConnectSelectedOptions {
  deps: ServerSelectionDeps;
  /** Ends background work when aborted. */
  lifetime: AbortSignal;
  mask: (server: string, text: string) => string;
  /** Called when a server joins or lists other tools than before. */
  onChanged: () => void;
}

type BackgroundContext = Pick<ConnectSelectedOptions, 'lifetime' | 'onChanged'> & { logger: Logger };

/** Maximum length of a reason (characters). The end of a reason quotes the server's last error output. */
const MAX_REASON_CHARACTERS = 600;
/** Pauses between attempts to reach an unavailable server; the last one repeats. */
const RETRY_PAUSES_MS = [5_000, 10_000, 20_000, 40_000, 60_000];

/**
 * Connects to the selected servers in parallel. Waits for the first attempts, except for servers known to be
 * unavailable. Retries unavailable servers in the background until the lifetime ends.
 */
export async function connectSelected({
  deps,
  lifetime,
  mask,
  onChanged,
}: ConnectSelectedOptions): Promise<SelectedServers> {
  const selected = new Map(deps.selection.servers.map((server) => [server.name, server]));
  const available = new Map<string, ConnectedServer>();
  const unavailable = new Map<string, string>();
  const knownUnavailable = (await deps.knownUnavailable?.()) ?? new Map<string, string>();
  const background: Promise<void>[] = [];

  const firstAttempts = [...selected.values()].map(async ({ name, tools }) => {
    const logger = deps.logger.child({ mcpServer: name });
    const settings = deps.servers.get(name);
    if (settings === undefined) {
      unavailable.set(name, 'no such server is configured');
      return;
    }
    const attempt = async (): Promise<boolean> => {
      try {
        const server = await open(settings, { deps, wanted: tools, lifetime, logger, onChanged });
        unavailable.delete(name);
        available.set(name, server);
        return true;
      } catch (error) {
        if (lifetime.aborted) return true;
        const reason = mask(name, describeFailure(error)).slice(0, MAX_REASON_CHARACTERS);
        if (!unavailable.has(name)) logger.warn({ reason }, 'MCP server is not available');
        unavailable.set(name, reason);
        return false;
      }
    };
    const known = knownUnavailable.get(name);
    if (known !== undefined) unavailable.set(name, known);
    else if (await attempt()) return;
    background.push(keepTrying(attempt, known !== undefined, { lifetime, onChanged, logger }));
  });
  await Promise.all(firstAttempts);
  return {
    connected: () => [...selected.keys()].flatMap((name) => available.get(name) ?? []),
    unavailable,
    close() {
      const ended = Promise.all(background).then(async () => {
        await Promise.all([...available.values()].map(({ connection }) => connection.close()));
      });
      return deps.sessionPool?.track(ended) ?? ended;
    },
  };
}

/** Repeats `attempt` until it succeeds. @param startsAtOnce true if the first attempt is made without a pause */
async function keepTrying(
  attempt: () => Promise<boolean>,
  startsAtOnce: boolean,
  { lifetime, onChanged, logger }: BackgroundContext,
): Promise<void> {
  for (let tries = startsAtOnce ? -1 : 0; !lifetime.aborted; tries += 1) {
    const pauseMs = tries < 0 ? 0 : RETRY_PAUSES_MS[Math.min(tries, RETRY_PAUSES_MS.length - 1)];
    await delay(pauseMs, undefined, { signal: lifetime, ref: false }).catch(() => {});
    if (lifetime.aborted) return;
    if (!(await attempt())) continue;
    if (lifetime.aborted) return;
    logger.info('MCP server is available now');
    onChanged();
    return;
  }
}

async function open(
  settings: McpServerSettings,
  {
    deps,
    wanted,
    lifetime,
    logger,
    onChanged,
  }: BackgroundContext & { deps: ServerSelectionDeps; wanted: ConnectedServer['wanted'] },
): Promise<ConnectedServer> {
  const timeoutMs = deps.limits.initTimeoutMs;
  let server: ConnectedServer | null = null;
  let hasChanged = false; // the first list may lack tools that the server reported while listing them
  const onToolsChanged = () => {
    hasChanged = true;
    if (server !== null) void relist(server, timeoutMs, { lifetime, logger, onChanged });
  };
  const options = { logger, timeoutMs, lifetime, pool: deps.sessionPool, onToolsChanged };
  server = { name: settings.id, wanted, ...(await connect(settings, options)) };
  if (hasChanged) onToolsChanged();
  return server;
}

/** Lists the tools of a server again after it reported a change. Keeps the old list if that fails. */
async function relist(
  server: ConnectedServer,
  timeoutMs: number,
  { lifetime, logger, onChanged }: BackgroundContext,
): Promise<void> {
  try {
    const session = await server.connection.session();
    server.listed = await session.listTools(timeoutMs, lifetime);
  } catch (error) {
    if (!lifetime.aborted)
      logger.warn({ reason: describeFailure(error).slice(0, 200) }, 'MCP tools not listed again');
  }
  onChanged();
}
