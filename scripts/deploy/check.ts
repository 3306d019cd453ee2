import { setTimeout as delay } from 'node:timers/promises';
import { type Cluster, DeployError, type Manifest } from './cluster.ts';

const WORKLOADS = ['Deployment', 'StatefulSet'];
/** Routers and certificates of a first deployment take a moment. */
const TRY_EVERY_MS = 2_000;
const ANSWER_WITHIN_MS = 10_000;

/** Waits until every pod is one of the new version and ready. @throws DeployError naming what did not get there */
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

/** What /health says, asked inside of the cluster: through the Service and its proxy, without a sign-in. @throws DeployError */
export async function checkInside(cluster: Cluster, namespace: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/services/http:tarsy:dashboard/proxy/health`;
  return versionOf(await cluster.run(['get', '--raw', path]), 'the Service tarsy');
}

/**
 * Asks from outside, as a browser would: /health answers, and the API does not answer somebody who has not signed in.
 * @param url of the dashboard
 * @throws DeployError when it is not so within the time
 */
export async function checkOutside(url: string, seconds: number): Promise<void> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const problem = await lookOutside(url);
    if (problem === null) return;
    if (performance.now() + TRY_EVERY_MS > deadline) throw new DeployError(problem);
    await delay(TRY_EVERY_MS);
  }
}

async function lookOutside(url: string): Promise<string | null> {
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

/** @throws DeployError when it is not TARSy that says it is healthy */
function versionOf(text: string, where: string): string {
  try {
    const { status, version } = JSON.parse(text);
    if (status === 'healthy' && String(version).startsWith('tarsy/')) return version;
  } catch {
    // Said below.
  }
  throw new DeployError(`${where} does not say that TARSy is healthy: ${text.slice(0, 200)}`);
}
