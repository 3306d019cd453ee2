import { parseCommand, renderHelp } from '../../src/common/command-help.ts';
import { errorMessage } from '../../src/common/error-message.ts';
import { checkInside, checkOutside, waitForRollouts } from './check.ts';
import { type Cluster, DeployError, type Manifest, openCluster } from './cluster.ts';
import { DEPLOY } from './help.ts';
import { dashboardHost, namespaceOf, overlayFolder, placeholders, renderOverlay } from './overlay.ts';
import { makeSecrets, type Secrets } from './secrets.ts';

process.exitCode = await main(process.argv.slice(2), process.env);

interface Options {
  /** Name of a shipped overlay, or path of an overlay's folder. */
  readonly target: string;
  readonly dryRun: boolean;
  readonly outside: boolean;
  /** Time limit (s) for the pods, and then for the dashboard. */
  readonly timeout: number;
}

/** Implements `npm run deploy`. @returns exit code: 0 on success, 1 on failure, 2 for an invalid command line */
async function main(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h')) {
    say(renderHelp(DEPLOY));
    return 0;
  }
  const options = readOptions(argv);
  if (typeof options === 'string') return reportError(`${options}\n\n${renderHelp(DEPLOY)}`, 2);
  try {
    await deploy(options, env);
    return 0;
  } catch (error) {
    if (error instanceof DeployError) return reportError(`\nNot done: ${error.message}\n`, 1);
    throw error;
  }
}

/** Returns the parsed options, or a text that describes what is wrong with the command line. */
function readOptions(argv: readonly string[]): Options | string {
  try {
    const { values, positionals } = parseCommand(DEPLOY, argv);
    const [target, ...more] = positionals;
    if (target === undefined || more.length > 0) return 'Name one overlay.';
    const { timeout = '300', 'dry-run': dryRun = false, 'no-outside': isInside = false } = values;
    if (!/^[1-9]\d{0,4}$/.test(timeout)) return '--timeout is a whole number of seconds.';
    return { target, dryRun, outside: !isInside, timeout: Number(timeout) };
  } catch (error) {
    return errorMessage(error);
  }
}

function reportError(text: string, status: number): number {
  process.stderr.write(text);
  return status;
}

function say(text: string): void {
  process.stdout.write(`${text.trimEnd()}\n`);
}

async function deploy(options: Options, env: NodeJS.ProcessEnv): Promise<void> {
  const { target } = options;
  const cluster = openCluster(env.KUBECTL || (target === 'openshift' ? 'oc' : 'kubectl'));
  if (env.TARSY_DASHBOARD_URL) dashboardHost(env.TARSY_DASHBOARD_URL);
  const manifests = await renderOverlay(cluster, overlayFolder(target), env);
  const namespace = namespaceOf(manifests);
  const left = placeholders(manifests);
  if (left.length > 0) throw new DeployError(`names of the example are left: ${left.join('; ')}`);
  say(`Cluster: ${await cluster.run(['config', 'current-context'])}`);
  const secrets = await makeSecrets(cluster, manifests, namespace, env);
  say(`Namespace: ${namespace}`);
  say(`Secrets from the environment: ${secrets.summary.join(', ') || 'none, all are there'}`);
  if (!(await applyAll(cluster, { manifests, secrets, namespace, dryRun: options.dryRun })) || options.dryRun)
    return;
  await check(cluster, manifests, namespace, options);
}

interface Everything {
  readonly manifests: readonly Manifest[];
  readonly secrets: Secrets;
  readonly namespace: string;
  readonly dryRun: boolean;
}

/** Applies the namespace, the Secrets and the rest. @returns false if a dry run ends because there is no namespace */
async function applyAll(
  cluster: Cluster,
  { manifests, secrets, namespace, dryRun }: Everything,
): Promise<boolean> {
  const own = manifests.filter(({ kind }) => kind === 'Namespace');
  if (own.length > 0) say(await cluster.apply(own, dryRun));
  if (!(await cluster.has('namespace', namespace, null))) {
    if (own.length === 0)
      throw new DeployError(
        `the cluster has no namespace ${namespace}: make it first (oc new-project ${namespace}, kubectl create namespace ${namespace})`,
      );
    say(
      `${manifests.length - own.length} more objects would follow: a cluster tries them only in a namespace that is there.`,
    );
    return false;
  }
  if (secrets.manifests.length > 0) say(await cluster.apply(secrets.manifests, dryRun));
  say(
    await cluster.apply(
      manifests.filter(({ kind }) => kind !== 'Namespace'),
      dryRun,
    ),
  );
  return true;
}

async function check(
  cluster: Cluster,
  manifests: readonly Manifest[],
  namespace: string,
  options: Options,
): Promise<void> {
  say('Waiting for the pods …');
  await waitForRollouts(cluster, manifests, namespace, options.timeout);
  const find = (kind: string, name: RegExp) =>
    manifests.find((each) => each.kind === kind && name.test(each.metadata.name));
  // An overlay without a Service tarsy, such as the evaluation overlay, is reached by port forwarding.
  if (find('Service', /^tarsy$/) === undefined) return say('All pods are ready.');
  say(`All pods are ready, and ${await checkInside(cluster, namespace)} says that it is healthy.`);
  const url = find('ConfigMap', /^tarsy-environment\b/)?.data.TARSY_DASHBOARD_URL;
  if (!options.outside) return;
  await checkOutside(url, options.timeout);
  say(`${url} answers, and requires a sign-in.`);
}
