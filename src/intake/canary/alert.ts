import { randomBytes } from 'node:crypto';
import type { CanaryConfig, SourceConfig } from '../../config/types.ts';

/** The source through which a process sends alerts to itself. */
export const CANARY_SOURCE = 'canary';

/** That source, with a proof that nobody but this process knows. */
export function canarySource({ alertType }: CanaryConfig): SourceConfig {
  return {
    name: CANARY_SOURCE,
    type: 'generic',
    alertType,
    tokens: [randomBytes(24).toString('hex')],
    tokenHeader: null,
    tokensInUrl: false,
    apiTokens: false,
    basic: null,
    signature: null,
    topicArns: null,
    insufficientData: 'ignore',
    mapping: null,
  };
}

/** One and the same alert, which begins anew each time. */
export function canaryAlert(now: Date): Record<string, unknown> {
  return {
    title: 'Canary of TARSy',
    severity: 'info',
    state: 'firing',
    fingerprint: CANARY_SOURCE,
    starts_at: now.toISOString(),
    labels: { alertname: 'Canary' },
    annotations: {
      description:
        'TARSy tests itself with this alert: nothing is wrong. Whether the tools answer is to be found out: call one that only reads, once, and say in one sentence whether it answered.',
    },
  };
}
