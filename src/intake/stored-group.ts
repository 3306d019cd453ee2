import type { Config } from '../config/types.ts';
import type { AlertGroupRow } from '../db/entities/index.ts';
import type { Queryable } from '../db/queryable.ts';
import type { SettleDeps } from './apply-decision.ts';
import { rulingOf } from './process-delivery.ts';
import type { RuleOf } from './rules.ts';
import type { FiringAlert } from './store/alerts.ts';

/** What is needed to decide about groups of which nothing is told. */
export interface TendDeps extends SettleDeps {
  db: Queryable;
  ruleOf: RuleOf;
  /** Whether a chain investigates alerts of this type. */
  isKnownType: (alertType: string) => boolean;
  config: Config['intake'];
}

/**
 * Who is known of a group's source. One that is not configured, as what is submitted as text has none, has the type of the
 * group itself, or the default one where the configuration does not know that any more.
 */
export function sourceOfGroup(
  { config, isKnownType }: Pick<TendDeps, 'config' | 'isKnownType'>,
  { source, alertType }: Pick<AlertGroupRow, 'source' | 'alertType'>,
) {
  if (Object.hasOwn(config.sources, source))
    return { name: source, alertType: config.sources[source]!.alertType };
  return { name: source, alertType: isKnownType(alertType) ? alertType : null };
}

/** The ruling of a group by its stored alerts. */
export function rulingOfGroup(
  deps: Pick<TendDeps, 'config' | 'isKnownType' | 'ruleOf'>,
  group: AlertGroupRow,
  firing: readonly FiringAlert[],
) {
  const source = sourceOfGroup(deps, group);
  const members = firing.map((alert) => {
    const told = {
      ...alert,
      fingerprint: alert.id,
      groupKey: group.groupKey,
      episode: null,
      state: 'FIRING' as const,
    };
    return {
      state: 'FIRING',
      ruling: deps.ruleOf({ ...told, annotations: {}, startsAt: null, endsAt: null, url: null }, source),
    };
  });
  return { ...rulingOf(members), groupKey: group.groupKey };
}
