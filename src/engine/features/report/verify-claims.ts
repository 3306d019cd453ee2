import { matchesPattern } from '../../../config/tool-policy.ts';
import type { SessionRun } from '../../run-context/types.ts';
import { readOutputs } from '../tool-outputs/tools.ts';
import type { Claim, VerifiedReport } from './verify/types.ts';
import { verifyReport } from './verify/verify-report.ts';

/** Verifies claims against the stored results of the session, its alert and its runbook. */
export async function verifyClaims(
  { db, config, session, alert }: Pick<SessionRun, 'db' | 'config' | 'session' | 'alert'>,
  claims: readonly Claim[],
): Promise<VerifiedReport> {
  const sources = claims.flatMap(({ citations }) => citations.map(({ source }) => source));
  const numbers = [...new Set(sources.filter((source) => typeof source === 'number'))];
  const isUntrusted = (server: string, tool: string) =>
    config.mcpServers[server]?.untrustedTools.some((pattern) => matchesPattern(tool, pattern)) ?? false;
  const outputs = await readOutputs(db, session.id, numbers, isUntrusted);
  return verifyReport({ claims, outputs, alert: alert.alertData, runbook: alert.runbook });
}
