import type { Pool } from 'pg';
import type { Observer } from '../../src/engine/api/observer.ts';
import { openTelemetry } from '../../src/telemetry/open.ts';

/** Creates the observer of a process that exports no traces. */
export async function openObserver(pool: Pool): Promise<Observer> {
  const environment = { tracesUrl: null, serviceName: 'test' };
  const config = { chains: {}, system: { telemetry: { content: 'none' as const } } };
  const maskContent = (text: string) => text;
  return (await openTelemetry({ config, environment, pool, version: '0', maskContent })).observer;
}
