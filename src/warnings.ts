import type { Logger } from 'pino';
import { toStorable } from './common/storable.ts';
import { truncate } from './common/truncate.ts';
import { uuidv7 } from './common/uuidv7.ts';
import type { SystemWarningRow } from './db/entities/index.ts';
import type { Queryable } from './db/queryable.ts';

/** Categories of system warnings. Stable, because clients distinguish warnings by them. */
export const WARNING_CATEGORIES = {
  mcpHealth: 'mcp_health',
  /** An MCP server declares nothing about its tools, or a configured pattern matches none of them. */
  mcpTools: 'mcp_tools',
  llmService: 'llm_service',
  /** NATS does not carry live events. */
  eventBus: 'event_bus',
  runbooks: 'runbooks',
  alertMasking: 'alert_masking',
  /** A canary is missing: alerts may not arrive or may not be investigated. */
  canary: 'canary',
  /** Slack refuses messages for a reason that an operator must correct. */
  slack: 'slack',
  /** A notification channel does not deliver; the key is its name. */
  notifications: 'notifications',
  /** A notification channel is disabled while this warning exists; the key is its name. */
  notificationsDisabled: 'notifications_disabled',
  /** A schedule cannot start its run; the key is its name. */
  schedules: 'schedules',
  /** The read replica is not used. */
  readReplica: 'read_replica',
} as const;

/** Keys of warnings about Slack beside that about refused messages, whose key is empty. */
export const SLACK_KEYS = { setup: 'setup', socket: 'socket' } as const;

/** A warning to store; its texts are masked and truncated first. */
export interface NewWarning {
  category: string;
  message: string;
  details?: string | null;
  serverId?: string | null;
  /** Distinguishes warnings of one category. Default: `serverId`, or `''` without one. */
  key?: string;
}

/** System warnings, stored so that all processes show the same ones. `raise` and `clear` never reject: they log. */
export interface Warnings {
  /** Creates the warning, or updates the one with the same category and key. */
  raise(warning: NewWarning): Promise<void>;
  clear(category: string, key?: string): Promise<void>;
}

/** Maximum lengths (characters), because the dashboard shows message and details in a banner. */
const MAX_MESSAGE = 500;
const MAX_DETAILS = 2000;

export function createWarnings(deps: {
  db: Queryable;
  /** Masks secrets in a text; may throw. */
  mask: (text: string) => string;
  logger: Logger;
}): Warnings {
  const { db, mask, logger } = deps;
  const clean = (text: string, max: number) => {
    try {
      return truncate(mask(toStorable(text)), max);
    } catch {
      return '[withheld: masking it failed]';
    }
  };
  const store = async (sql: string, category: string, key: string, values: unknown[] = []): Promise<void> => {
    await db
      .query(sql, [category, toStorable(key), ...values])
      .catch((error: unknown) => logger.warn({ err: error, category }, 'system warning not stored'));
  };
  return {
    raise: ({ category, message, details = null, serverId = null, key = serverId ?? '' }) =>
      store(
        `insert into system_warnings as w (category, key, id, message, details, server_id)
         values ($1, $2, $3, $4, $5, $6)
         on conflict (category, key) do update
         set message = excluded.message, details = excluded.details, server_id = excluded.server_id
         where (w.message, w.details, w.server_id)
           is distinct from (excluded.message, excluded.details, excluded.server_id)`,
        category,
        key,
        [uuidv7(), clean(message, MAX_MESSAGE), details && clean(details, MAX_DETAILS), serverId],
      ),
    clear: (category, key = '') =>
      store('delete from system_warnings where category = $1 and key = $2', category, key),
  };
}

/** Deletes the warnings of a category with other keys, because nothing clears a warning about what is configured no more. */
export async function deleteOtherWarnings(
  db: Queryable,
  category: string,
  keys: readonly string[],
): Promise<void> {
  await db.query('delete from system_warnings where category = $1 and key <> all($2)', [
    category,
    keys.map(toStorable),
  ]);
}

/** Returns the current warnings, oldest first. */
export async function listWarnings(db: Queryable): Promise<SystemWarningRow[]> {
  const { rows } = await db.query<SystemWarningRow>(
    `select id, category, key, message, details, server_id as "serverId", created_at as "createdAt"
     from system_warnings order by created_at, id`,
  );
  return rows;
}
