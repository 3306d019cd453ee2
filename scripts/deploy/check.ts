import { setTimeout as delay } from 'node:timers/promises';
import { type Cluster, DeployError, type Manifest } from './cluster.ts';

const WORKLOADS = ['Deployment', 'StatefulSet'];
/** Interval (ms) between checks, until a first deployment's routers and certificates are ready. */
const TRY_EVERY_MS = 2_000;
const ANSWER_WITHIN_MS = 10_000;

/** Waits until all pods of the new version are ready. @throws DeployError that names a workload which is not ready */
export async function waitForRollouts(
  cluster: Cluster,
  manifests: readonly Manifest[],
  namespace: string,
  seconds: number,
): Promise<void> {
  const workloads = manifests.filter(({ kind }) => WORKLOADS.includes(kind));
  await Promise.all(
    workloads.map(({ kind, metadata }) =>
      cluster.run([
        ...['rollout', 'status', `${kind.toLowerCase()}/${metadata.name}`],
        ...['--namespace', namespace, `--timeout=${seconds}s`],
      ]),
    ),
  );
}

/** Returns TARSy's version from /health, requested through the Service inside the cluster. @throws DeployError */
export async function checkInside(cluster: Cluster, namespace: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/services/http:tarsy:dashboard/proxy/health`;
  return versionOf(await cluster.run(['get', '--raw', path]), 'the Service tarsy');
}

/**
 * Checks from outside the cluster: /health answers, and the API refuses callers who are not signed in.
 * @param url address of the dashboard
 * @throws DeployError if the checks do not pass within `seconds`
 */
export async function checkOutside(url: string, seconds: number): Promise<void> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const problem = await outsideProblem(url);
    if (problem === null) return;
    if (performance.now() + TRY_EVERY_MS > deadline) throw new DeployError(problem);
    await delay(TRY_EVERY_MS);
  }
}

async function outsideProblem(url: string): Promise<string | null> {
  const ask = (path: string) =>
    fetch(url + path, { redirect: 'manual', signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  try {
    const health = await ask('/health');
    if (!health.ok) return `${url}/health answers ${health.status}`;
    versionOf(await health.text(), `${url}/health`);
    const { status } = await ask('/graphql?query={__typename}');
    return status === 401
      ? null
      : `${url}/graphql answers ${status} without a sign-in, where it should be 401`;
  } catch (error) {
    if (error instanceof DeployError) return error.message;
    const { cause, message } = error as Error;
    return `${url} does not answer from here: ${cause instanceof Error ? cause.message : message}`;
  }
}

/** Returns the version in a response of /health. @throws DeployError unless it names a healthy TARSy */
function versionOf(text: string, where: string): string {
  try {
    const { status, version } = JSON.parse(text);
    if (status === 'healthy' && String(version).startsWith('tarsy/')) return version;
  } catch {
    // Not JSON: reported by the error below.
  }
  throw new DeployError(`${where} does not say that TARSy is healthy: ${text.slice(0, 200)}`);
}
