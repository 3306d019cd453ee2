import { randomBytes } from 'node:crypto';
import type { CanaryConfig, SourceConfig } from '../../config/types.ts';

/** The source name of the alerts that a process sends to itself. */
export const CANARY_SOURCE = 'canary';

/** Returns the source of canaries, with a random token that only this process knows. */
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
    writeBack: null,
  };
}

/** Returns the body of a canary's delivery. The new start time makes each canary a new episode. */
export function canaryAlert(now: Date): Record<string, unknown> {
  return {
    title: 'TARSy canary',
    severity: 'info',
    state: 'firing',
    fingerprint: CANARY_SOURCE,
    starts_at: now.toISOString(),
    labels: { alertname: 'Canary' },
    annotations: { description: INSTRUCTION },
  };
}

const INSTRUCTION =
  'TARSy tests itself with this alert: nothing is wrong. Find out whether the tools answer: call one that only reads, once, and say in one sentence whether it answered.';
