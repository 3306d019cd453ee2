import { formatTime } from '../change.ts';
import { diffObjects } from '../diff.ts';
import { labelOf, nameOf, objectsAt, textAt } from '../kubernetes/fields.ts';
import type { ResourceName } from '../kubernetes/resources.ts';
import { readSnapshot } from '../kubernetes/snapshot.ts';
import { type Sync, syncsOf, withoutUser } from '../sources/argo.ts';
import { appliedBy, releasesOf } from '../sources/flux.ts';
import { chartLabel, readPrevious, readRelease, releaseSecrets } from '../sources/helm.ts';
import { showDeployed } from './commits.ts';
import { goneFailure, type ShowContext } from './context.ts';

/** Reads an object of a custom resource in the version that the cluster prefers, with the events of its namespace. */
async function readCustom(context: ShowContext, list: ResourceName, [namespace, name]: readonly string[]) {
  const scope = { api: context.api, namespace: namespace ?? null, signal: context.signal };
  const snapshot = await readSnapshot(scope, [list, 'events']);
  const object = snapshot
    .objects(list)
    .find((each) => nameOf(each) === name && textAt(each, 'metadata', 'namespace') === namespace);
  if (object === undefined) throw goneFailure(`${namespace}/${name}`);
  return { object, snapshot };
}

/** Shows the chart versions of a Helm release. Values and manifests are never shown. */
export async function showHelm(context: ShowContext, parts: readonly string[]): Promise<string> {
  const [namespace, name, version] = parts as [string, string, string];
  const snapshot = await readSnapshot({ ...context, namespace }, ['secrets']);
  const secret = releaseSecrets(snapshot).find(
    (each) => labelOf(each, 'name') === name && labelOf(each, 'version') === version,
  );
  if (secret === undefined) throw goneFailure(`revision ${version} of Helm release ${namespace}/${name}`);
  const release = await readRelease(context, secret);
  const previous = await readPrevious(context, snapshot, secret);
  return [
    `Helm release ${namespace}/${name}, revision ${version}: ${release.status ?? 'unknown status'}.`,
    `Chart before: ${previous === null ? 'not known' : chartLabel(previous)}`,
    `Chart after: ${chartLabel(release)}`,
    ...(release.description === null ? [] : [`Helm says: ${release.description}`]),
    'The values of a release are never read; the rollouts of its workloads show what they changed.',
  ].join('\n');
}

/** Shows what a sync of an Argo CD Application changed: its sources, and the files between the two revisions. */
export async function showApplication(context: ShowContext, parts: readonly string[]): Promise<string> {
  const { object } = await readCustom(context, 'applications', parts);
  const place = `Application ${parts[0]}/${parts[1]}`;
  if (parts[2] === 'operation') {
    const message = textAt(object, 'status', 'operationState', 'message') ?? '';
    return `${place}: the last sync ended ${textAt(object, 'status', 'operationState', 'phase')}.\n${message}`;
  }
  const syncs = syncsOf(object);
  const at = syncs.findIndex(({ id }) => String(id) === parts[2]);
  const sync = syncs[at];
  if (!sync) throw goneFailure(`sync ${parts[2]} of ${place}`);
  const before = syncs[at - 1];
  const files = await Promise.all(
    sync.sources.map((source, index) =>
      showDeployed(
        context.sources,
        {
          url: textAt(source, 'repoURL'),
          before: before?.revisions[index] ?? null,
          after: sync.revisions[index] ?? '',
          folder: folderOf(textAt(source, 'path')),
        },
        context.signal,
      ),
    ),
  );
  return [
    `${place}: sync ${sync.id} at ${formatTime(sync.time)}${sync.by === null ? '' : `, by ${sync.by}`}.`,
    before === undefined
      ? 'The sync before it is not kept.'
      : diffObjects({
          beforeName: `sync ${before.id}`,
          before: shownOf(before),
          afterName: `sync ${sync.id}`,
          after: shownOf(sync),
        }),
    ...files,
  ].join('\n');
}

const shownOf = ({ revisions, sources }: Sync) => ({
  revisions,
  sources: sources.map((source) => ({ ...source, repoURL: withoutUser(textAt(source, 'repoURL') ?? '') })),
});

/** Returns a folder of a repository without `./` and slashes around it; `null` for the whole repository. */
function folderOf(path: string | null): string | null {
  const folder = (path ?? '').replace(/^(?:\.?\/)+/, '').replace(/\/+$/, '');
  return folder === '' || folder === '.' ? null : folder;
}

/** Returns the commit in a revision of Flux: `main@sha1:abc…` or `main/abc…`. */
const commitOf = (revision: string): string => /([0-9a-f]{7,64})$/.exec(revision)?.[1] ?? revision;

/** Shows the revisions that a Kustomization applied, and the files between them. */
export async function showKustomization(context: ShowContext, parts: readonly string[]): Promise<string> {
  const { object, snapshot } = await readCustom(context, 'kustomizations', parts);
  const applied = appliedBy(object, snapshot);
  const at = applied.findIndex(({ time }) => String(Math.floor(time / 1000)) === parts[2]);
  const entry = applied[at];
  if (!entry) throw goneFailure(`the revision of Kustomization ${parts[0]}/${parts[1]}`);
  const before = applied[at - 1]?.revision ?? null;
  return [
    `Kustomization ${parts[0]}/${parts[1]} applied ${entry.revision} at ${formatTime(entry.time)}.`,
    `Revision before: ${before ?? 'not known'}`,
    await showDeployed(
      context.sources,
      {
        url: await sourceUrl(context, object),
        before: before === null ? null : commitOf(before),
        after: commitOf(entry.revision),
        folder: folderOf(textAt(object, 'spec', 'path')),
      },
      context.signal,
    ),
  ].join('\n');
}

/** Returns the URL of a Kustomization's GitRepository; `null` if its source is of another kind. */
async function sourceUrl(context: ShowContext, kustomization: unknown): Promise<string | null> {
  const source = (field: string) => textAt(kustomization, 'spec', 'sourceRef', field);
  const namespace = source('namespace') ?? textAt(kustomization, 'metadata', 'namespace');
  const snapshot = await readSnapshot({ ...context, namespace }, ['gitRepositories']);
  const found = snapshot
    .objects('gitRepositories')
    .find(
      (each) =>
        source('kind') === 'GitRepository' &&
        nameOf(each) === source('name') &&
        textAt(each, 'metadata', 'namespace') === namespace,
    );
  return textAt(found, 'spec', 'url');
}

/** Shows the releases of a HelmRelease. */
export async function showHelmRelease(context: ShowContext, parts: readonly string[]): Promise<string> {
  const { object } = await readCustom(context, 'helmReleases', parts);
  const releases = releasesOf(object);
  if (!releases.some(({ version }) => String(version) === parts[2]))
    throw goneFailure(`release ${parts[2]} of HelmRelease ${parts[0]}/${parts[1]}`);
  const digests = objectsAt(object, 'status', 'history').map((each) => textAt(each, 'configDigest'));
  return [
    `HelmRelease ${parts[0]}/${parts[1]}, newest release first:`,
    ...releases.map(
      ({ version, time, chart, status }, at) =>
        `- ${version} at ${formatTime(time)}: chart ${chart}, values ${digests[at]?.slice(0, 19) ?? 'unknown'} [${status ?? 'unknown'}]`,
    ),
    'Digests of values differ where the values differ; the values themselves are never read.',
  ].join('\n');
}

/** Shows what Flux fetched last from a repository. */
export async function showGitRepository(context: ShowContext, parts: readonly string[]): Promise<string> {
  const { object } = await readCustom(context, 'gitRepositories', parts);
  const artifact = (field: string) => textAt(object, 'status', 'artifact', field);
  return [
    `GitRepository ${parts[0]}/${parts[1]} fetched ${artifact('revision')} at ${artifact('lastUpdateTime')}.`,
    `URL: ${withoutUser(textAt(object, 'spec', 'url') ?? 'unknown')}`,
    'A fetched revision changes nothing until a Kustomization or HelmRelease applies it.',
  ].join('\n');
}
