import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { settlesWithin } from '../common/time-limit.ts';
import { refuse } from './errors.ts';
import { HEALTH_TIMEOUT_MS } from './tunables.ts';

/**
 * Resolves if the checked component works, else rejects. Only this process's parts are checked, not models or MCP
 * servers.
 */
export type HealthCheck = () => Promise<void>;

export interface HealthDeps {
  checks: Readonly<Record<string, HealthCheck>>;
  /** Checks that count only when a request names them, because restarting the process would not repair them. */
  onDemandChecks?: Readonly<Record<string, HealthCheck>>;
  /** Checks that other roles have, by name, with the reason why this process has none. */
  otherChecks?: Readonly<Record<string, string>>;
  version: string;
  healthTimeoutMs?: number;
  logger: Logger;
}

type Status = 'healthy' | 'unhealthy';

/** Answers /health with 200 or 503 and the result of each check. `?check=<name>` runs only that check, or is refused. */
export async function answerHealth(
  target: string | undefined,
  res: ServerResponse,
  deps: HealthDeps,
): Promise<void> {
  const { version, logger, healthTimeoutMs = HEALTH_TIMEOUT_MS } = deps;
  const only = new URLSearchParams(target?.split('?')[1]).getAll('check');
  const known: Readonly<Record<string, HealthCheck>> = { ...deps.checks, ...deps.onDemandChecks };
  const unknown = only.find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined) {
    const others = Object.keys(known).join(', ');
    const reason = Object.hasOwn(deps.otherChecks ?? {}, unknown) ? deps.otherChecks?.[unknown] : undefined;
    if (reason !== undefined)
      return refuse(res, 404, 'CHECK_ELSEWHERE', `${reason} This process has: ${others}.`);
    return refuse(res, 400, 'BAD_REQUEST', `This process has no such check. Available checks: ${others}.`);
  }
  const names = only.length === 0 ? Object.keys(deps.checks) : [...new Set(only)];
  const states = await Promise.all(
    names.map(
      async (name) => [name, { status: await run(name, known[name]!, healthTimeoutMs, logger) }] as const,
    ),
  );
  const healthy = states.every(([, { status }]) => status === 'healthy');
  res.writeHead(healthy ? 200 : 503, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
  });
  const status: Status = healthy ? 'healthy' : 'unhealthy';
  res.end(JSON.stringify({ status, version: `tarsy/${version}`, checks: Object.fromEntries(states) }));
}

async function run(name: string, check: HealthCheck, limitMs: number, logger: Logger): Promise<Status> {
  try {
    if (await settlesWithin(limitMs, check())) return 'healthy';
    throw new Error(`no answer within ${limitMs} ms`);
  } catch (error) {
    logger.warn({ err: error, check: name }, 'health check failed');
    return 'unhealthy';
  }
}
