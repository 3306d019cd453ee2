import type { Config } from '../config/types.ts';
import type { AlertGroupRow } from '../db/entities/index.ts';
import type { Queryable } from '../db/queryable.ts';
import type { DecisionDeps } from './apply-decision.ts';
import { strongestRuling } from './process-delivery.ts';
import type { FindRuling } from './rules.ts';
import type { FiringAlert } from './store/alerts.ts';

/** The dependencies of decisions that no delivery triggers. */
export interface UpkeepDeps extends DecisionDeps {
  db: Queryable;
  findRuling: FindRuling;
  isKnownType: (alertType: string) => boolean;
  config: Config['intake'];
}

/**
 * Returns a group's source. An unconfigured one, such as that of submitted texts, has the group's alert type, or the
 * default type if that type is no longer known.
 */
export function sourceOfGroup(
  { config, isKnownType }: Pick<UpkeepDeps, 'config' | 'isKnownType'>,
  { source, alertType }: Pick<AlertGroupRow, 'source' | 'alertType'>,
) {
  if (Object.hasOwn(config.sources, source))
    return { name: source, alertType: config.sources[source]!.alertType };
  return { name: source, alertType: isKnownType(alertType) ? alertType : null };
}

export function rulingOfGroup(
  deps: Pick<UpkeepDeps, 'config' | 'isKnownType' | 'findRuling'>,
  group: AlertGroupRow,
  firing: readonly FiringAlert[],
) {
  const source = sourceOfGroup(deps, group);
  const members = firing.map((alert) => {
    const stored = {
      ...alert,
      fingerprint: alert.id,
      groupKey: group.groupKey,
      episode: null,
      state: 'FIRING' as const,
    };
    return {
      state: 'FIRING',
      ruling: deps.findRuling(
        { ...stored, annotations: {}, startsAt: null, endsAt: null, url: null },
        source,
      ),
    };
  });
  return { ...strongestRuling(members), groupKey: group.groupKey };
}
