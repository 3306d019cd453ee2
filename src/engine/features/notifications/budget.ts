import type { BudgetConfig } from '../../../config/types.ts';
import type { Queryable } from '../../../db/queryable.ts';
import type { RowChange } from '../../store/event-statement.ts';
import {
  type NotificationDeps,
  type NotifiedEvent,
  notificationChanges,
  requestSystemNotifications,
} from './request.ts';
import { type EventProperties, NO_PROPERTIES } from './rules.ts';

/** A budget that is nearly or fully used. */
export interface ReachedBudget {
  budget: Pick<BudgetConfig, 'name' | 'scope' | 'per'>;
  /** The team, alert type or source whose usage counts; '' for other scopes. */
  key: string;
  /** End of the current period; `null` for a budget of a single session. */
  endsAt: Date | null;
  /** Measure that is taken; `null` for a warning. */
  measure: string | null;
  text: string;
}

/** Returns the row changes of a run that queue the notification: one per measure and period, or session. */
export function budgetNotifications(
  deps: NotificationDeps & { db: Queryable },
  sessionId: string,
  reached: ReachedBudget,
): Promise<RowChange[]> {
  const events = [eventOf(reached, sessionId)];
  return reached.budget.per === null
    ? notificationChanges(deps, sessionId, events)
    : notificationChanges(deps, sessionId, events, propertiesOf(reached));
}

/** Queues the notification about a budget with a period, within `tx`. */
export function notifyOfBudget(tx: Queryable, deps: NotificationDeps, reached: ReachedBudget): Promise<void> {
  return requestSystemNotifications(tx, deps, [eventOf(reached, '')], propertiesOf(reached));
}

function eventOf({ budget, key, endsAt, measure, text }: ReachedBudget, sessionId: string): NotifiedEvent {
  const period = endsAt?.toISOString() ?? sessionId;
  const parts = JSON.stringify([budget.name, key, period, measure ?? 'WARNING']);
  return { event: 'budget.reached', key: `budget.reached:${parts}`, notice: { text } };
}

function propertiesOf({ budget: { scope }, key }: ReachedBudget): EventProperties {
  return {
    ...NO_PROPERTIES,
    ...(scope === 'team' && { team: key }),
    ...(scope === 'alert_type' && { alertType: key }),
    ...(scope === 'source' && { source: key }),
  };
}
