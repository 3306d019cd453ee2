import { Counter, Gauge, type Registry } from 'prom-client';
import type { FanOutCounts } from '../http/streams/fan-out.ts';

/** Adds metrics of the delivery of live results, read from the server's counts at each scrape. */
export function addFanOutMetrics(registry: Registry, counts: Readonly<FanOutCounts>): void {
  gauge(registry, 'tarsy_subscriptions_active', 'Subscribers of live results.', () => counts.subscribers);
  gauge(
    registry,
    'tarsy_subscription_groups_active',
    'Groups of subscribers that share executions.',
    () => counts.groups,
  );
  counter(
    registry,
    'tarsy_subscription_results_total',
    'Live results, each executed and serialized once.',
    () => counts.executed,
  );
  counter(
    registry,
    'tarsy_subscription_messages_total',
    'Live results handed to subscribers.',
    () => counts.delivered,
  );
  counter(
    registry,
    'tarsy_subscriptions_cut_off_total',
    'Subscribers cut off because they read too slowly.',
    () => counts.cutOff,
  );
}

function gauge(registry: Registry, name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}

function counter(registry: Registry, name: string, help: string, read: () => number): void {
  let seen = 0;
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.inc(read() - seen);
      seen = read();
    },
  });
}
