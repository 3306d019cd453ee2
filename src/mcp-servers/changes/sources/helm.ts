import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type Change, changeId, isWithin, type Window } from '../change.ts';
import {
  createdAt,
  type KubeObject,
  labelOf,
  nameOf,
  namespaceOf,
  numberAt,
  textAt,
} from '../kubernetes/fields.ts';
import { readObject, type Scope, type Snapshot } from '../kubernetes/snapshot.ts';
import type { Target } from '../target.ts';

/** Maximum number of releases whose chart is decoded for one list. */
const MAX_DECODED = 10;
/** Maximum size of a decoded release (bytes). */
const MAX_RELEASE_BYTES = 32 * 2 ** 20;

/** The part of a release that is read. Values and manifests are never kept, because they may contain secrets. */
export interface Release {
  chart: string;
  version: string;
  appVersion: string | null;
  status: string | null;
  /** Helm's own words, such as `Rollback to 3`. */
  description: string | null;
}

const RELEASE_NAME = 'meta.helm.sh/release-name';
const RELEASE_NAMESPACE = 'meta.helm.sh/release-namespace';

/** Returns the Secrets in which Helm keeps its releases. */
export function releaseSecrets(snapshot: Snapshot): KubeObject[] {
  return snapshot.objects('secrets').filter((secret) => labelOf(secret, 'owner') === 'helm');
}

/** Returns the installs, upgrades and rollbacks of Helm releases, with the versions of their charts. */
export async function findHelmReleases(
  snapshot: Snapshot,
  { scope, window, target }: { scope: Pick<Scope, 'api' | 'signal'>; window: Window; target: Target },
): Promise<Change[]> {
  const secrets = releaseSecrets(snapshot)
    .filter((secret) => isWithin(createdAt(secret), window))
    .sort((a, b) => createdAt(b)! - createdAt(a)!);
  return Promise.all(
    secrets.map(async (secret, at): Promise<Change> => {
      const [namespace, name] = [namespaceOf(secret), labelOf(secret, 'name') ?? nameOf(secret)];
      const version = Number(labelOf(secret, 'version'));
      const release = at < MAX_DECODED ? await readRelease(scope, secret).catch(() => null) : null;
      const previous = at < MAX_DECODED ? await readPrevious(scope, snapshot, secret) : null;
      const isOwn = target.hasMark(RELEASE_NAME, name) && target.hasMark(RELEASE_NAMESPACE, namespace);
      return {
        id: changeId('helm', namespace, name, version),
        time: createdAt(secret)!,
        kind: 'helm',
        object: `Helm release ${namespace}/${name}`,
        summary: summaryOf(version, labelOf(secret, 'status'), release, previous),
        by: 'helm',
        nearness: isOwn ? 'own' : 'other',
      };
    }),
  );
}

function summaryOf(
  version: number,
  status: string | null,
  release: Release | null,
  previous: Release | null,
): string {
  const revision = version > 1 ? `revision ${version - 1} → ${version}` : `revision ${version} (installed)`;
  const before = previous === null ? '' : `${chartLabel(previous)} → `;
  const chart = release === null ? '' : `: chart ${before}${chartLabel(release)}`;
  const description = release?.description ? `; ${release.description}` : '';
  return `${revision}${chart}${description}${status ? ` [${status}]` : ''}`;
}

export const chartLabel = ({ chart, version, appVersion }: Release): string =>
  `${chart}-${version}${appVersion ? ` (app ${appVersion})` : ''}`;

/** Returns the release before a release; `null` if there is none or it cannot be read. */
export async function readPrevious(
  scope: Pick<Scope, 'api' | 'signal'>,
  snapshot: Snapshot,
  secret: KubeObject,
): Promise<Release | null> {
  const before = releaseSecrets(snapshot).find(
    (other) =>
      namespaceOf(other) === namespaceOf(secret) &&
      labelOf(other, 'name') === labelOf(secret, 'name') &&
      Number(labelOf(other, 'version')) === Number(labelOf(secret, 'version')) - 1,
  );
  return before ? readRelease(scope, before).catch(() => null) : null;
}

/** Decodes a release: base64 of base64 of gzip of JSON. @throws ApiError, or Error if the content is malformed */
export async function readRelease(
  scope: Pick<Scope, 'api' | 'signal'>,
  secret: KubeObject,
): Promise<Release> {
  const place = { namespace: namespaceOf(secret), name: nameOf(secret) };
  const encoded = textAt(await readObject(scope, 'secrets', place), 'data', 'release') ?? '';
  const bytes = Buffer.from(Buffer.from(encoded, 'base64').toString(), 'base64');
  const isZipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const json = isZipped ? await promisify(gunzip)(bytes, { maxOutputLength: MAX_RELEASE_BYTES }) : bytes;
  const release: unknown = JSON.parse(json.toString());
  const version =
    textAt(release, 'chart', 'metadata', 'version') ?? String(numberAt(release, 'version') ?? '?');
  return {
    chart: textAt(release, 'chart', 'metadata', 'name') ?? 'unknown chart',
    version,
    appVersion: textAt(release, 'chart', 'metadata', 'appVersion'),
    status: textAt(release, 'info', 'status'),
    description: textAt(release, 'info', 'description'),
  };
}
