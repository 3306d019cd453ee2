import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { connect, type McpConnection } from './connection.ts';
import { describeFailure } from './failures.ts';
import type { ListedTool } from './listed-tool.ts';
import type { McpServerSettings, ToolExecutorDeps } from './types.ts';

/** A server that is there, with what it lists. */
export interface ConnectedServer {
  name: string;
  /** Null: all. */
  wanted: readonly string[] | null;
  connection: McpConnection;
  listed: ListedTool[];
}

export interface SelectedServers {
  /** Those that are there by now, in the order of the selection. */
  connected(): ConnectedServer[];
  /** The others, with the reason in words, masked. */
  unavailable: Map<string, string>;
  /** Ends every connection. The lifetime signal must be aborted before. */
  close(): Promise<void>;
}

interface Options {
  deps: ToolExecutorDeps;
  /** Ends what goes on in the background. */
  lifetime: AbortSignal;
  /** Takes secrets out of what a server said. */
  mask: (server: string, text: string) => string;
  /** A server came, or lists other tools than before. */
  onChanged: () => void;
}

/** Of the reason why a server is not there; it holds the last lines that the server wrote. */
const MAX_REASON_CHARACTERS = 600;
/** Pauses before a server that was not there is tried again; the last one stays. */
const RETRY_PAUSES_MS = [5_000, 10_000, 20_000, 40_000, 60_000];

/**
 * Connects to the selected servers, all at once, and returns when each is there or is not. Those that are known to be
 * dead are not waited for. Whatever is not there is tried again in the background until the lifetime ends.
 */
export async function connectSelected({
  deps,
  lifetime,
  mask,
  onChanged,
}: Options): Promise<SelectedServers> {
  const selected = new Map(deps.selection.servers.map((server) => [server.name, server]));
  const there = new Map<string, ConnectedServer>();
  const unavailable = new Map<string, string>();
  const dead = (await deps.knownDead?.()) ?? new Map<string, string>();
  const background: Promise<void>[] = [];

  const first = [...selected.values()].map(async ({ name, tools }) => {
    const logger = deps.logger.child({ mcpServer: name });
    const settings = deps.servers.get(name);
    if (settings === undefined) {
      unavailable.set(name, 'no such server is configured');
      return;
    }
    const attempt = async (): Promise<boolean> => {
      try {
        const server = await open(settings, tools, { deps, lifetime, logger, onChanged });
        unavailable.delete(name);
        there.set(name, server);
        return true;
      } catch (error) {
        if (lifetime.aborted) return true;
        const reason = mask(name, describeFailure(error)).slice(0, MAX_REASON_CHARACTERS);
        if (!unavailable.has(name)) logger.warn({ reason }, 'MCP server is not available');
        unavailable.set(name, reason);
        return false;
      }
    };
    const known = dead.get(name);
    if (known !== undefined) unavailable.set(name, known);
    else if (await attempt()) return;
    background.push(keepTrying(known !== undefined, attempt, { lifetime, onChanged, logger }));
  });
  await Promise.all(first);
  return {
    connected: () => [...selected.keys()].flatMap((name) => there.get(name) ?? []),
    unavailable,
    async close() {
      await Promise.all(background);
      await Promise.all([...there.values()].map(({ connection }) => connection.close()));
    },
  };
}

async function keepTrying(
  isAtOnce: boolean,
  attempt: () => Promise<boolean>,
  { lifetime, onChanged, logger }: Pick<Options, 'lifetime' | 'onChanged'> & { logger: Logger },
): Promise<void> {
  for (let tries = isAtOnce ? -1 : 0; !lifetime.aborted; tries += 1) {
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
  wanted: readonly string[] | null,
  {
    deps,
    lifetime,
    logger,
    onChanged,
  }: Pick<Options, 'deps' | 'lifetime' | 'onChanged'> & { logger: Logger },
): Promise<ConnectedServer> {
  const timeoutMs = deps.limits.initTimeoutMs;
  let server: ConnectedServer | null = null;
  const onToolsChanged = () => {
    if (server !== null) void relist(server, timeoutMs, lifetime, logger).then(() => onChanged());
  };
  const options = { logger, timeoutMs, lifetime, kept: deps.keptSessions, onToolsChanged };
  server = { name: settings.id, wanted, ...(await connect(settings, options)) };
  return server;
}

/** What a server lists after it said that this has changed; as before, when it cannot be had. */
async function relist(
  server: ConnectedServer,
  timeoutMs: number,
  lifetime: AbortSignal,
  logger: Logger,
): Promise<void> {
  try {
    const session = await server.connection.session();
    server.listed = await session.listTools(timeoutMs, lifetime);
  } catch (error) {
    if (!lifetime.aborted)
      logger.warn({ reason: describeFailure(error).slice(0, 200) }, 'MCP tools could not be listed again');
  }
}
