import { z } from 'zod';
import { ON_RESOLVE } from '../enums.ts';
import { compileMatchers, MatcherError } from '../matchers.ts';
import { duration, reference, text } from './common.ts';
import { settings } from './settings.ts';

export const ruleSchema = settings(
  z
    .strictObject({
      name: text('Of the rule, unique: decisions name it').max(100),
      match: z
        .array(z.string())
        .describe(
          'Conditions on labels in Alertmanager’s syntax, such as namespace=~"prod-.*"; all must hold; source, severity and alert_type are labels too',
        )
        .prefault([])
        .superRefine((matchers, context) => {
          for (const [index, matcher] of matchers.entries()) {
            const problem = problemOf(matcher);
            if (problem !== null)
              context.addIssue({ code: 'custom', path: [index], message: problem, input: matcher });
          }
        }),
      alert_type: reference('Alert type, and so the chain that investigates').optional(),
      team: text('Whose alerts they are').max(100).optional(),
      severity: z
        .enum(['critical', 'error', 'warning', 'info'])
        .describe('Instead of what the source says')
        .optional(),
      group_by: z
        .array(text('Name of a label'))
        .min(1)
        .describe(
          'Alerts with equal values of these labels are investigated together; default: as the source groups them',
        )
        .optional(),
      group_wait: duration(
        'How long an investigation waits for more alerts of its group; critical ones do not wait; default: 10s',
        '0s',
      ).optional(),
      reinvestigate_after: duration(
        'How long an investigation stands for its group, unless it gets worse; default: 4h',
        '0s',
      ).optional(),
      investigate: z.enum(['never']).describe('never: alerts are kept, but not investigated').optional(),
      canary: z
        .boolean()
        .describe(
          'Whether the alert is a sign of life, such as Watchdog: not investigated, and a warning when it stays away',
        )
        .prefault(false),
      canary_within: duration('How long a sign of life may stay away', '1s').prefault('15m'),
      on_resolve: z
        .enum(ON_RESOLVE)
        .describe(
          'When all alerts of a group are over while it is investigated: tell = agents are told, and say why; stop = they conclude now; ignore = they go on',
        )
        .prefault('tell'),
      investigate_resolved: z
        .boolean()
        .describe('Whether a problem that ends before its investigation begins is investigated all the same')
        .prefault(false),
    })
    .describe('What goes for alerts that match'),
).transform(({ canary, ...rule }) => ({ ...rule, isCanary: canary }));

function problemOf(matcher: string): string | null {
  try {
    compileMatchers([matcher]);
    return null;
  } catch (error) {
    if (error instanceof MatcherError) return error.message;
    throw error;
  }
}
