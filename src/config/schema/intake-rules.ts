import { z } from 'zod';
import { ON_RESOLVE } from '../enums.ts';
import { compileMatchers, MatcherError } from '../matchers.ts';
import { checked, duration, flag, list, reference, text } from './common.ts';
import { mapping } from './settings.ts';

export const ruleSchema = mapping({
  name: text('Unique name of the rule; decisions about alerts mention it').max(100),
  match: list(
    checked(z.string(), problemOf),
    'Conditions on labels in Alertmanager’s syntax, such as namespace=~"prod-.*"; all must match. source, severity and alert_type are labels too',
  ).prefault([]),
  alert_type: reference('Alert type of the alerts, which selects the chain').optional(),
  team: text('Team that owns the alerts').max(100).optional(),
  severity: z
    .enum(['critical', 'error', 'warning', 'info'])
    .describe('Severity that replaces the sender’s')
    .optional(),
  group_by: list(
    text('Name of a label'),
    'Alerts with equal values of these labels are investigated together; default: as the source groups them',
  )
    .min(1)
    .optional(),
  group_wait: duration(
    'Time that an investigation waits for more alerts of its group; critical alerts do not wait. Default: 10s',
    '0s',
  ).optional(),
  reinvestigate_after: duration(
    'Time during which a group is not investigated again, unless it gets worse; default: 4h',
    '0s',
  ).optional(),
  investigate: z.enum(['never']).describe('never: alerts are stored but not investigated').optional(),
  canary: flag(
    'Treat the alert as a heartbeat of monitoring, such as Watchdog: it is not investigated, and its absence raises a warning',
  ).prefault(false),
  canary_within: duration('Time without a heartbeat after which a warning is raised', '1s').prefault('15m'),
  on_resolve: z
    .enum(ON_RESOLVE)
    .describe(
      'Reaction when all alerts of a group are resolved during its investigation: tell: agents are told and explain why; stop: agents conclude at once; ignore: agents continue',
    )
    .prefault('tell'),
  investigate_resolved: flag(
    'Investigate a problem even if it is resolved before its investigation starts',
  ).prefault(false),
})
  .describe('Rule for matching alerts')
  .transform(({ canary, ...rule }) => ({ ...rule, isCanary: canary }));

function problemOf(matcher: string): string | null {
  try {
    compileMatchers([matcher]);
    return null;
  } catch (error) {
    if (error instanceof MatcherError) return error.message;
    throw error;
  }
}
