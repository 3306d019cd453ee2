import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RESOURCES, type Resource } from '../../../src/mcp-servers/changes/kubernetes/resources.ts';
import { listenOn } from '../mcp/listen.ts';
import type { TestObject } from './objects.ts';

/** A token in the kubeconfig of the cluster. */
export const CLUSTER_TOKEN = 'k8s-3c2b1a0f9e8d7c6b5a49';

/** How the cluster misbehaves for a kind of object, named by its plural. */
export interface Faults {
  /** Answers 403. */
  forbidden: string[];
  /** Answers 403 only to lists of the whole cluster. */
  forbiddenClusterWide: string[];
  /** Never answers. */
  silent: string[];
  /** Number of times that the second page answers 410. */
  expired: Record<string, number>;
  /** Ignores the wish for metadata alone. */
  ignoresMetadata: boolean;
}

/** A Kubernetes API server over HTTPS with a private authority: lists in pages, single objects, discovery of groups. */
export interface TestCluster {
  /** Path of a kubeconfig file. */
  kubeconfig: string;
  objects: TestObject[];
  faults: Faults;
  /** Largest page (objects); the client's limit if it is smaller. */
  pageSize: number;
  /** `METHOD path?query` of every request. */
  requests: string[];
  /** The bodies of all answers as text. */
  sent: string[];
  reset(objects: readonly TestObject[]): void;
  close(): Promise<void>;
}

const ALL: readonly Resource[] = Object.values(RESOURCES);

export async function startCluster(): Promise<TestCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'changes-cluster-'));
  const server = createServer(makeCertificate(folder), (request, response) => route(request, response));
  const cluster: TestCluster = {
    kubeconfig: join(folder, 'kubeconfig'),
    objects: [],
    faults: noFaults(),
    pageSize: 500,
    requests: [],
    sent: [],
    reset(objects) {
      Object.assign(cluster, {
        objects: [...objects],
        faults: noFaults(),
        pageSize: 500,
        requests: [],
        sent: [],
      });
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      rmSync(folder, { recursive: true });
    },
  };

  function route(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'https://localhost');
    cluster.requests.push(`${request.method} ${url.pathname}${url.search}`);
    const answer = (status: number, body: object) => {
      const text = JSON.stringify(body);
      cluster.sent.push(text);
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    };
    if (request.headers.authorization !== `Bearer ${CLUSTER_TOKEN}`)
      return void answer(401, status(401, 'Unauthorized'));
    if (url.pathname === '/apis') return void answer(200, groupsOf(cluster.objects));
    const path = /^\/(?:api|apis\/([^/]+))\/(v[^/]+)(?:\/namespaces\/([^/]+))?\/([a-z]+)(?:\/([^/]+))?$/.exec(
      url.pathname,
    );
    const [, group = '', , namespace, plural = '', name] = path ?? [];
    const resource = ALL.find((each) => each.group === group && each.plural === plural);
    if (!resource) return void answer(404, status(404, `no resource ${plural}`));
    const { forbidden, forbiddenClusterWide, silent } = cluster.faults;
    if (silent.includes(plural)) return;
    if (forbidden.includes(plural) || (namespace === undefined && forbiddenClusterWide.includes(plural))) {
      const message = `${plural} is forbidden: User "system:serviceaccount:tarsy:tarsy-worker" cannot list resource "${plural}"`;
      return void answer(403, status(403, message));
    }
    const found = cluster.objects.filter(
      ({ kind, metadata }) =>
        kind === resource.kind && (namespace === undefined || metadata.namespace === namespace),
    );
    if (name !== undefined) {
      const object = found.find(({ metadata }) => metadata.name === decodeURIComponent(name));
      if (object) return void answer(200, object);
      return void answer(404, status(404, `${plural} "${name}" not found`));
    }
    const kindFilter = /^involvedObject\.kind=(.+)$/.exec(url.searchParams.get('fieldSelector') ?? '')?.[1];
    const selected = found.filter(
      (object) => kindFilter === undefined || object.involvedObject?.kind === kindFilter,
    );
    answerPage({ plural, selected, url, accept: request.headers.accept ?? '' }, answer);
  }

  function answerPage(
    { plural, selected, url, accept }: { plural: string; selected: TestObject[]; url: URL; accept: string },
    answer: (status: number, body: object) => void,
  ): void {
    const start = Number(url.searchParams.get('continue') ?? 0);
    if (start > 0 && (cluster.faults.expired[plural] ?? 0) > 0) {
      cluster.faults.expired[plural]! -= 1;
      return void answer(410, status(410, 'The provided continue parameter is too old'));
    }
    const size = Math.min(cluster.pageSize, Number(url.searchParams.get('limit') ?? 500));
    const isMetadata = accept.includes('as=PartialObjectMetadataList') && !cluster.faults.ignoresMetadata;
    const items = selected.slice(start, start + size).map((object) => {
      const { kind, ...rest } = object;
      return isMetadata ? { kind: 'PartialObjectMetadata', metadata: object.metadata } : rest;
    });
    const rest = selected.length - start - items.length;
    const metadata = {
      resourceVersion: '1',
      ...(rest > 0 && { continue: String(start + items.length), remainingItemCount: rest }),
    };
    answer(200, { kind: isMetadata ? 'PartialObjectMetadataList' : 'List', metadata, items });
  }

  const port = await listenOn(server);
  writeFileSync(cluster.kubeconfig, kubeconfig(port), { mode: 0o600 });
  return cluster;
}

const noFaults = (): Faults => ({
  forbidden: [],
  forbiddenClusterWide: [],
  silent: [],
  expired: {},
  ignoresMetadata: false,
});

const status = (code: number, message: string) => ({ kind: 'Status', status: 'Failure', code, message });

/** Returns the API groups; those of Argo CD and Flux only if the cluster has their objects. */
function groupsOf(objects: readonly TestObject[]): object {
  const resources = ALL.filter(
    ({ product, kind }) => !product || objects.some((object) => object.kind === kind),
  );
  const groups = resources.map(({ group, version }) => ({ name: group, preferredVersion: { version } }));
  return { kind: 'APIGroupList', groups };
}

function kubeconfig(port: number): string {
  return `apiVersion: v1
kind: Config
clusters: [{ name: test, cluster: { server: "https://127.0.0.1:${port}", certificate-authority: ca.pem } }]
users: [{ name: test, user: { token: ${CLUSTER_TOKEN} } }]
contexts: [{ name: test, context: { cluster: test, user: test } }]
current-context: test
`;
}

function makeCertificate(folder: string): { key: string; cert: string } {
  const openssl = (...args: string[]) =>
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...args], {
      cwd: folder,
      stdio: 'ignore',
    });
  openssl('-subj', '/CN=Cluster authority', '-keyout', 'ca.key', '-out', 'ca.pem');
  const signer = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const more = ['-addext', 'basicConstraints=critical,CA:FALSE'];
  openssl('-subj', '/CN=api', ...signer, ...more, '-keyout', 'api.key', '-out', 'api.pem');
  return {
    key: readFileSync(join(folder, 'api.key'), 'utf8'),
    cert: readFileSync(join(folder, 'api.pem'), 'utf8'),
  };
}
