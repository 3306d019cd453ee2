import type { ReadReplica } from '../../db/read-replica.ts';
import type { HealthDeps } from '../../http/health.ts';
import type { Core, Role } from './types.ts';
import type { WorkerChecks } from './worker.ts';

/**
 * Returns the checks of /health. Only a pure worker always checks the LLM service. A process that also serves the
 * dashboard must stay reachable while that service is down.
 */
export function checksOf(role: Role, { pool, carrier }: Core, worker: WorkerChecks | null): Checks {
  const database = async () => void (await pool.query('select 1'));
  const eventBus = async () => {
    const problem = carrier?.problem() ?? null;
    if (problem !== null) throw new Error(`NATS: ${problem}`);
  };
  const onDemandChecks = { event_bus: eventBus }; // without NATS, the database carries the events
  if (worker === null) return { checks: { database }, onDemandChecks, otherChecks: CHECKS_OF_WORKERS };
  const checks = { database, worker_pool: worker.pool };
  const llm = { llm_service: worker.llmService };
  return role === 'worker'
    ? { checks: { ...checks, ...llm }, onDemandChecks, otherChecks: CHECKS_OF_APIS }
    : { checks, onDemandChecks: { ...onDemandChecks, ...llm }, otherChecks: {} };
}

/** Returns the check of the read replica. Not part of /health itself, because the primary answers instead. */
export function checkOf(replica: Pick<ReadReplica, 'status'> | null): HealthDeps['onDemandChecks'] {
  if (replica === null) return {};
  return {
    async read_replica() {
      const { serves, problem } = replica.status;
      if (!serves) throw new Error(`the read replica is not used: ${problem}`);
    },
  };
}

type Checks = Required<Pick<HealthDeps, 'checks' | 'onDemandChecks' | 'otherChecks'>>;

const CHECKS_OF_WORKERS = {
  llm_service: 'An API process calls no model: ask a worker at its METRICS_PORT.',
  worker_pool: 'An API process runs no session: ask a worker at its METRICS_PORT.',
};
const CHECKS_OF_APIS = {
  pipeline: 'A worker takes no alerts: ask an API process.',
  read_replica: 'A worker reads from no replica: ask an API process.',
};
