import type { TokenView } from '../../access/tokens.ts';
import type { ReadDb } from './tables.ts';

const MAX_TOKENS_LISTED = 1000;

/** Returns valid tokens before ended ones, each newest first. */
export async function readApiTokens({ pool, tables: { apiToken } }: ReadDb): Promise<TokenView[]> {
  const { rows } = await pool.query<TokenView>(`
    select ${apiToken.columns} from ${apiToken.name} t
    order by t.revoked_at is not null or coalesce(t.expires_at <= now(), false), t.created_at desc, t.id desc
    limit ${MAX_TOKENS_LISTED}`);
  return rows;
}
