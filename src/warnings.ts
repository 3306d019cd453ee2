import type { Logger } from 'pino';
import { toStorable } from './common/storable.ts';
import { truncate } from './common/truncate.ts';
import { uuidv7 } from './common/uuidv7.ts';
import type { SystemWarningRow } from './db/entities/index.ts';
import type { Queryable } from './db/queryable.ts';

/** Categories of system warnings. Stable, because clients distinguish warnings by them. */
export const WARNING_CATEGORIES = {
  /** An MCP server cannot be used. */
  mcpHealth: 'mcp_health',
  /** An MCP server declares nothing about its tools, or a configured pattern matches none of them. */
  mcpTools: 'mcp_tools',
  /** The LLM service does not answer, so investigations wait. */
  llmService: 'llm_service',
  /** The configured folder of runbooks cannot be listed. */
  runbooks: 'runbooks',
  /** Alerts cannot be masked. */
  alertMasking: 'alert_masking',
  /** A canary is missing: alerts may not arrive or may not be investigated. */
  canary: 'canary',
  /** Slack refuses messages for a reason that an operator must correct. */
  slack: 'slack',
} as const;

/** A warning to raise. All texts are masked and truncated before they are stored. */
export interface NewWarning {
  category: string;
  /** One sentence. */
  message: string;
  details?: string | null;
  /** The MCP server concerned. */
  serverId?: string | null;
  /** Distinguishes warnings of one category. Default: the server's id, or `''`. */
  key?: string;
}

/**
 * System warnings, stored in the database so that all processes show the same ones. `raise` and `clear` never reject:
 * a warning that cannot be stored is only logged.
 */
export interface Warnings {
  /** Creates the warning, or updates the one with the same category and key, which keeps its creation time. */
  raise(warning: NewWarning): Promise<void>;
  /** Removes the warning. `key` as when it was raised. */
  clear(category: string, key?: string): Promise<void>;
}

/** Maximum characters of a warning's message and details, because the dashboard shows both in a banner. */
const MAX_MESSAGE = 500;
const MAX_DETAILS = 2000;

/** Replaces a text whose masking failed, so that no secret can leak. */
const WITHHELD = '[withheld: masking it failed]';

export function createWarnings(deps: {
  db: Queryable;
  /** Removes secrets; may throw. */
  mask: (text: string) => string;
  logger: Logger;
}): Warnings {
  const { db, mask, logger } = deps;
  const clean = (text: string, max: number) => truncate(masked(mask, toStorable(text)), max);
  const quietly = async (work: Promise<unknown>, category: string) => {
    await work.catch((error: unknown) =>
      logger.warn({ err: error, category }, 'system warning could not be stored'),
    );
  };
  return {
    raise: ({ category, message, details = null, serverId = null, key = serverId ?? '' }) =>
      quietly(
        db.query(
          `insert into system_warnings as w (id, category, key, message, details, server_id)
           values ($1, $2, $3, $4, $5, $6)
           on conflict (category, key) do update
           set message = excluded.message, details = excluded.details, server_id = excluded.server_id
           where (w.message, w.details, w.server_id)
             is distinct from (excluded.message, excluded.details, excluded.server_id)`,
          [
            uuidv7(),
            category,
            toStorable(key),
            clean(message, MAX_MESSAGE),
            details === null ? null : clean(details, MAX_DETAILS),
            serverId,
          ],
        ),
        category,
      ),
    clear: (category, key = '') =>
      quietly(
        db.query('delete from system_warnings where category = $1 and key = $2', [category, toStorable(key)]),
        category,
      ),
  };
}

function masked(mask: (text: string) => string, text: string): string {
  try {
    return mask(text);
  } catch {
    return WITHHELD;
  }
}

/** Returns the current warnings, oldest first. */
export async function listWarnings(db: Queryable): Promise<SystemWarningRow[]> {
  const { rows } = await db.query<SystemWarningRow>(
    `select id, category, key, message, details, server_id as "serverId", created_at as "createdAt"
     from system_warnings order by created_at, id`,
  );
  return rows;
}
