import type { Logger } from 'pino';
import { createDirectory, type Directory } from '../../access/directory.ts';
import { createEndedAccess, type EndedAccess } from '../../access/ended-access.ts';
import { createSavedViews, type SavedViews } from '../../access/saved-views.ts';
import { teamNames } from '../../access/teams.ts';
import { createTokens, removeEndedTokens, type Tokens } from '../../access/tokens.ts';
import { removeOldAudit } from '../../audit.ts';
import { runPeriodically } from '../../common/periodic.ts';
import type { Environment } from '../../config/env.ts';
import type { Config } from '../../config/types.ts';
import { openPool, type PoolTarget } from '../../db/pool.ts';
import { createTransaction } from '../../engine/store/database.ts';
import type { OpenSignIn } from '../../http/oidc/sign-in.ts';
import { installationKey } from '../../machine/installation-key.ts';
import type { OnStop } from './types.ts';

/** Connection pool for access only, so that no other query delays a token lookup, which takes about 1 ms. */
const POOL = { max: 3, statementTimeoutMs: 5_000 };

const CLEAN_UP_MS = 3_600_000;

/** Time (ms) for which connections are compared with sign-outs behind a proxy, which keeps the sign-ins itself. */
const PROXIED_MS = 24 * 3_600_000;

export interface Access {
  tokens: Tokens;
  savedViews: SavedViews;
  endedAccess: EndedAccess;
  directory: Directory;
}

/** Starts token authentication, saved views, the directory of users, and the clean-up of old tokens and audit entries. */
export function startAccess(
  deps: { config: Config; database: PoolTarget; logger: Logger },
  onStop: OnStop,
): Access {
  const { config, database, logger } = deps;
  const pool = openPool(database, { ...POOL, application: 'tarsy-api-access', logger });
  onStop(() => pool.end());
  const days = config.audit.retentionDays;
  const cleanUp = async () => {
    await removeOldAudit(pool, days);
    await removeEndedTokens(pool, days);
  };
  const cleaning = { task: 'remove old tokens and audit entries', everyMs: CLEAN_UP_MS, logger };
  onStop(runPeriodically(cleanUp, cleaning).stop);
  const transaction = createTransaction(pool, { publish: async () => {} });
  const shared = { db: pool, transaction, logger };
  const teams = teamNames(config.access);
  const signInMs = config.auth.oidc?.sessionLifetimeMs ?? PROXIED_MS;
  const endedAccess = createEndedAccess({ ...shared, signInMs });
  onStop(() => endedAccess.close());
  return {
    tokens: createTokens({ ...shared, teams }),
    savedViews: createSavedViews({ ...shared, teams }),
    endedAccess,
    directory: createDirectory({ ...shared, ended: endedAccess }),
  };
}

/** Returns the OIDC sign-in; nothing in another auth mode, for which the code is not loaded. */
export async function signInOptions(options: {
  config: Config;
  environment: Environment;
  logger: Logger;
}): Promise<{ openSignIn?: OpenSignIn }> {
  const { config, environment, logger } = options;
  const { oidc } = config.auth;
  if (oidc === null) return {};
  const { createSignIn } = await import('../../http/oidc/sign-in.ts');
  const key = installationKey(environment.key, environment.home, logger);
  return { openSignIn: (server) => createSignIn({ ...server, oidc, key }) };
}
