import type { NotificationEvent } from '../../../config/enums.ts';
import type { ChannelConfig, NotificationRule, NotificationsConfig } from '../../../config/types.ts';

/** Properties of an event that rules select. `null` if the event lacks the property. */
export interface EventProperties {
  verdict: string | null;
  severity: string | null;
  team: string | null;
  alertType: string | null;
  source: string | null;
}

export const NO_PROPERTIES: EventProperties = {
  ...{ verdict: null, severity: null, team: null, alertType: null, source: null },
};

/** True if any rule names the event. */
export function isNotified({ rules }: NotificationsConfig, event: NotificationEvent): boolean {
  return rules.some(({ events }) => events.includes(event));
}

/** Returns the channels of all rules that match an event, each once. */
export function channelsFor(
  { channels, rules }: NotificationsConfig,
  event: NotificationEvent,
  properties: EventProperties,
): ChannelConfig[] {
  const names = rules
    .filter((rule) => rule.events.includes(event) && matches(rule, properties))
    .flatMap((rule) => rule.channels);
  return [...new Set(names)].flatMap((name) => channels[name] ?? []);
}

function matches(rule: NotificationRule, { verdict, severity, team, alertType, source }: EventProperties) {
  return (
    allows(rule.verdicts, verdict?.toLowerCase() ?? 'none') &&
    allows(rule.severities, severity?.toLowerCase() ?? null) &&
    allows(rule.teams, team) &&
    allows(rule.alertTypes, alertType) &&
    allows(rule.sources, source)
  );
}

/** True if a filter is missing or lists the value. */
function allows(filter: readonly string[] | null, value: string | null): boolean {
  return filter === null || (value !== null && filter.includes(value));
}
