import type { OnResolve } from '../config/enums.ts';
import { compileMatchers } from '../config/matchers.ts';
import type { IntakeConfig, IntakeRule } from '../config/types.ts';
import type { Severity } from '../db/enums.ts';
import { severityOf, worstSeverity } from '../engine/alert/severity.ts';
import { CANARY_SOURCE } from './canary/alert.ts';
import type { IncomingAlert, SourceRef, TextMap } from './delivery.ts';
import { keyOf } from './keys.ts';

/** Default time (ms) that a session waits before it starts, because related alerts arrive within seconds. */
const GROUP_WAIT_MS = 10_000;

/** Default time (ms) before an unchanged group is investigated again, equal to Alertmanager's usual repeat interval. */
const REINVESTIGATE_AFTER_MS = 4 * 3_600_000;

/** The settings that apply to one alert: those of the first matching rule, and defaults for the rest. */
export interface Ruling {
  readonly rule: string | null;
  readonly severity: Severity;
  readonly groupKey: string;
  readonly alertType: string | null;
  readonly team: string | null;
  readonly isExcluded: boolean;
  readonly isCanary: boolean;
  /** Time (ms) that the session waits for more alerts; 0 for critical alerts and the process's canary. */
  readonly groupWaitMs: number;
  readonly reinvestigateAfterMs: number;
  readonly onResolve: OnResolve;
  readonly investigateResolved: boolean;
}

type MatchedAlert = Pick<IncomingAlert, 'title' | 'severity' | 'labels' | 'fingerprint' | 'groupKey'>;
export type FindRuling = (alert: MatchedAlert, source: SourceRef) => Ruling;

/** A masked alert with its ruling, whose severity replaces the sender's. */
export interface RuledAlert extends IncomingAlert {
  readonly ruling: Ruling;
}

/** Returns a function that finds an alert's ruling. @param teamOfType returns the team of a type's chain, or `null` */
export function createFindRuling(
  config: Pick<IntakeConfig, 'rules'>,
  teamOfType: (alertType: string | null) => string | null = () => null,
): FindRuling {
  const rules = config.rules.map((rule) => ({ rule, matches: compileMatchers(rule.match) }));
  return (alert, source) => {
    if (source.name === CANARY_SOURCE)
      return { ...rulingOf(alert, source, null), isCanary: true, groupWaitMs: 0 };
    const labels = matchedLabels(alert, source);
    const ruling = rulingOf(alert, source, rules.find(({ matches }) => matches(labels))?.rule ?? null);
    // A canary says nothing about other alerts of its sender's group, so it gets a group of its own.
    if (ruling.isCanary) return { ...ruling, groupKey: keyOf('canary', alert.fingerprint) };
    return { ...ruling, team: ruling.team ?? teamOfType(ruling.alertType) };
  };
}

/** Returns the ruling of the most severe firing alert. Alerts to investigate take precedence over excluded ones. */
export function strongestRuling(members: readonly { state: string; ruling: Ruling }[]): Ruling {
  const firing = members.filter(({ state }) => state === 'FIRING').map(({ ruling }) => ruling);
  const wanted = firing.filter(({ isExcluded }) => !isExcluded);
  const rulings =
    wanted.length > 0 ? wanted : firing.length > 0 ? firing : members.map(({ ruling }) => ruling);
  const severity = worstSeverity(rulings.map((ruling) => ruling.severity));
  const ruling = rulings.find((each) => each.severity === severity)!;
  return { ...ruling, isCanary: firing.length > 0 && firing.every(({ isCanary }) => isCanary) };
}

/** Returns the labels that rules and silences match. An alert's labels cannot override `source` and `alert_type`. */
export function matchedLabels(
  alert: Pick<IncomingAlert, 'labels' | 'severity' | 'title'>,
  source: SourceRef,
): TextMap {
  return {
    severity: alert.severity.toLowerCase(),
    alertname: alert.title,
    ...alert.labels,
    source: source.name,
    alert_type: source.alertType ?? '',
  };
}

function rulingOf(alert: MatchedAlert, source: SourceRef, rule: IntakeRule | null): Ruling {
  const severity = rule?.severity ? severityOf(rule.severity) : alert.severity;
  return {
    rule: rule?.name ?? null,
    severity,
    groupKey: groupKeyOf(alert, rule?.groupBy ?? null),
    alertType: rule?.alertType ?? source.alertType,
    team: rule?.team ?? null,
    isExcluded: rule?.investigate === 'never',
    isCanary: rule?.isCanary ?? false,
    groupWaitMs: severity === 'CRITICAL' ? 0 : (rule?.groupWaitMs ?? GROUP_WAIT_MS),
    reinvestigateAfterMs: rule?.reinvestigateAfterMs ?? REINVESTIGATE_AFTER_MS,
    onResolve: rule?.onResolve ?? 'tell',
    investigateResolved: rule?.investigateResolved ?? false,
  };
}

/** Returns the group key. An alert without one of the labels is its own group: a missing label is not shared. */
function groupKeyOf(alert: MatchedAlert, groupBy: readonly string[] | null): string {
  if (groupBy === null) return alert.groupKey ?? alert.fingerprint;
  const values = groupBy.map((name) => (Object.hasOwn(alert.labels, name) ? alert.labels[name]! : null));
  if (values.includes(null)) return alert.fingerprint;
  return keyOf(...groupBy.flatMap((name, index) => [name, values[index]!]));
}
