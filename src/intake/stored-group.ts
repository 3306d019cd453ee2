import type { IntakeConfig } from '../config/types.ts';
import type { AlertGroupRow } from '../db/entities/index.ts';
import type { Queryable } from '../db/queryable.ts';
import type { DecisionDeps } from './apply-decision.ts';
import type { SourceRef } from './delivery.ts';
import type { LockedGroup } from './locked-group.ts';
import { type FindRuling, type Ruling, strongestRuling } from './rules.ts';

/** The dependencies of decisions that no delivery triggers. */
export interface UpkeepDeps extends DecisionDeps {
  db: Queryable;
  findRuling: FindRuling;
  isKnownType: (alertType: string) => boolean;
  config: IntakeConfig;
}

/** The configuration that names the source of a group. */
export interface SourceDeps {
  config: Pick<IntakeConfig, 'sources'>;
  isKnownType: (alertType: string) => boolean;
}

type RulingDeps = Pick<UpkeepDeps, 'config' | 'isKnownType' | 'findRuling'>;
type StoredGroup = Pick<LockedGroup, 'group' | 'firing'>;

/**
 * Returns a group's source. A source that is not configured, such as `api`, has the group's alert type. If the type is
 * no longer known, `alertType` is `null`, which means the default.
 */
export function sourceOfGroup(
  { config, isKnownType }: SourceDeps,
  { source: name, alertType }: Pick<AlertGroupRow, 'source' | 'alertType'>,
): SourceRef {
  if (Object.hasOwn(config.sources, name)) return { name, alertType: config.sources[name]!.alertType };
  return { name, alertType: isKnownType(alertType) ? alertType : null };
}

export function ruleStoredGroup(
  deps: RulingDeps,
  { group, firing }: StoredGroup,
): { source: SourceRef; ruling: Ruling } {
  const { groupKey } = group;
  const source = sourceOfGroup(deps, group);
  const members = firing.map((alert) => ({
    state: 'FIRING',
    ruling: deps.findRuling({ ...alert, fingerprint: alert.id, groupKey }, source),
  }));
  return { source, ruling: { ...strongestRuling(members), groupKey } };
}

/** Returns a locked group for a decision that no delivery triggers. */
export function lockedWithoutDelivery(
  deps: RulingDeps,
  locked: StoredGroup & Pick<LockedGroup, 'tx' | 'now'>,
): LockedGroup {
  return { ...locked, ...ruleStoredGroup(deps, locked), changed: [], receivedAt: null };
}
