import { compileMatchers } from '../config/matchers.ts';
import type { AlertGroupRow, AlertRow, SilenceRow } from '../db/entities/index.ts';
import { matchedLabels } from './rules.ts';
import { checkMatchers } from './silences.ts';
import { activeSilence, coveringSilence } from './store/silences.ts';
import { type SourceDeps, sourceOfGroup } from './stored-group.ts';

type GroupSource = Pick<AlertGroupRow, 'source' | 'alertType'>;
export type LabelledAlert = Pick<AlertRow, 'labels' | 'severity' | 'title'>;

/** A firing alert with its group, for the preview of a silence. */
export interface FiringInGroup extends LabelledAlert, GroupSource {
  groupId: string;
}

/** The firing alerts that a silence would cover, by their group. */
export interface SilencePreview {
  alertCount: number;
  /** Groups with a covered alert, in the order of the alerts. `isWhole`: all their firing alerts are covered. */
  groups: readonly { id: string; isWhole: boolean }[];
}

/** Tells which silences cover which groups, as they are stored now. */
export interface SilenceCoverage {
  /**
   * Returns the id of the silence whose end first leaves a firing alert uncovered; `null` if an alert is uncovered now.
   */
  silenceOver(
    group: GroupSource & Pick<AlertGroupRow, 'team'>,
    firing: readonly LabelledAlert[],
    silences: readonly SilenceRow[],
  ): string | null;
  /** @throws ValidationError */
  preview(matchers: readonly string[], firing: readonly FiringInGroup[]): SilencePreview;
}

/** Coverage without configured sources: the alert type of each source is then that of the group. */
export const COVERAGE_WITHOUT_SOURCES = createSilenceCoverage({
  config: { sources: {} },
  isKnownType: () => true,
});

export function createSilenceCoverage(deps: SourceDeps): SilenceCoverage {
  const labelsOf = (alert: LabelledAlert, group: GroupSource) =>
    matchedLabels(alert, sourceOfGroup(deps, group));
  return {
    silenceOver(group, firing, silences) {
      if (firing.length === 0) return null;
      const labels = firing.map((alert) => labelsOf(alert, group));
      return coveringSilence(silences.map(activeSilence), group.team ?? null, labels)?.id ?? null;
    },
    preview(matchers, firing) {
      checkMatchers(matchers);
      const matches = compileMatchers(matchers);
      const isCovered = new Map(firing.map((alert) => [alert, matches(labelsOf(alert, alert))]));
      const covered = firing.filter((alert) => isCovered.get(alert));
      const uncovered = new Set(
        firing.filter((alert) => !isCovered.get(alert)).map(({ groupId }) => groupId),
      );
      const ids = [...new Set(covered.map(({ groupId }) => groupId))];
      return { alertCount: covered.length, groups: ids.map((id) => ({ id, isWhole: !uncovered.has(id) })) };
    },
  };
}
