import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A Kubernetes object; the server stores every kind. */
// biome-ignore lint/suspicious/noExplicitAny: objects have no common shape
type KubernetesObject = any;

/** Kinds by the path of their API, with the names of their resources. */
const KINDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/api/v1': {
    configmaps: 'ConfigMap',
    pods: 'Pod',
    secrets: 'Secret',
    serviceaccounts: 'ServiceAccount',
    services: 'Service',
  },
  '/apis/apps/v1': { deployments: 'Deployment' },
  '/apis/batch/v1': { jobs: 'Job' },
  '/apis/networking.k8s.io/v1': { ingresses: 'Ingress', networkpolicies: 'NetworkPolicy' },
  '/apis/policy/v1': { poddisruptionbudgets: 'PodDisruptionBudget' },
  '/apis/rbac.authorization.k8s.io/v1': {
    clusterrolebindings: 'ClusterRoleBinding',
    clusterroles: 'ClusterRole',
  },
};

/** The part of a Kubernetes API that Helm uses. Objects are stored, but nothing runs; Jobs end at once. */
export interface KubernetesApi {
  url: string;
  /** Changes of objects in their order, such as `create Job tarsy-migrate`; without Helm's own Secrets. */
  changes: string[];
  /** Stored objects. */
  objects(): KubernetesObject[];
  /** Decides how Jobs end that are created later. Default: they complete. */
  failJobs(fail: boolean): void;
  close(): Promise<void>;
}

export async function startKubernetesApi(): Promise<KubernetesApi> {
  const stored = new Map<string, KubernetesObject>();
  const changes: string[] = [];
  let areJobsFailing = false;
  let version = 0;

  const note = (verb: string, { kind, metadata }: KubernetesObject): void => {
    if (!metadata.name.startsWith('sh.helm.release')) changes.push(`${verb} ${kind} ${metadata.name}`);
  };
  const store = (path: string, object: KubernetesObject): KubernetesObject => {
    version += 1;
    object.metadata = { uid: randomUUID(), ...object.metadata, resourceVersion: String(version) };
    if (object.kind === 'Job') {
      const type = areJobsFailing ? 'Failed' : 'Complete';
      object.status = { conditions: [{ type, status: 'True', reason: type, message: 'as the test wants' }] };
    }
    stored.set(path, object);
    return object;
  };

  const server = createServer((req, res) => {
    answer(req, res).catch((error: unknown) => send(res, 500, status(500, String(error))));
  });
  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url!, 'http://cluster');
    const path = url.pathname.replace(/\/$/, '');
    const found = discovery(path);
    if (found) return send(res, 200, found);
    const [, api = '', resource = '', name] =
      /^(.+\/v1)(?:\/namespaces\/[^/]+)?\/([^/]+)(?:\/([^/]+))?$/.exec(path) ?? [];
    const kind = KINDS[api]?.[resource];
    if (!kind) return send(res, 404, status(404, `no ${path}`));
    if (req.method === 'GET' && name === undefined) return list(res, { path, url, kind, api });
    const object = stored.get(path);
    if (req.method === 'POST') {
      const created = await bodyOf(req);
      const at = `${path}/${created.metadata.name}`;
      if (stored.has(at)) return send(res, 409, status(409, `${at} exists`));
      note('create', created);
      return send(res, 201, store(at, created));
    }
    if (!object) return send(res, 404, status(404, `no ${path}`));
    if (req.method === 'GET') return send(res, 200, object);
    note(req.method === 'DELETE' ? 'delete' : 'change', object);
    if (req.method === 'DELETE') {
      stored.delete(path);
      return send(res, 200, { kind: 'Status', apiVersion: 'v1', status: 'Success' });
    }
    // A patch is noted and not applied, because no test reads the result. Helm replaces its own Secrets by PUT.
    const sent = await bodyOf(req);
    send(res, 200, store(path, req.method === 'PUT' ? sent : object));
  }
  /** Answers a list. A watch reports nothing, because objects have their final state from the beginning. */
  function list(
    res: ServerResponse,
    { path, url, kind, api }: { path: string; url: URL; kind: string; api: string },
  ): void {
    if (url.searchParams.has('sendInitialEvents')) {
      send(res, 422, status(422, 'lists come by GET'));
      return;
    }
    if (url.searchParams.has('watch')) {
      res.writeHead(200).flushHeaders();
      return;
    }
    const labels = (url.searchParams.get('labelSelector') ?? '').split(',').filter(Boolean);
    const field = /metadata\.name=([^,]+)/.exec(url.searchParams.get('fieldSelector') ?? '')?.[1];
    const items = [...stored]
      .filter(([at]) => at.startsWith(`${path}/`))
      .map(([, object]) => object)
      .filter(({ metadata }) => field === undefined || metadata.name === field)
      .filter(({ metadata }) =>
        labels.every((label) => {
          const [key = '', value] = label.split('=');
          return metadata.labels?.[key] === value;
        }),
      );
    const apiVersion = api.replace(/^\/apis?\//, '');
    send(res, 200, {
      kind: `${kind}List`,
      apiVersion,
      metadata: { resourceVersion: String(version) },
      items,
    });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    changes,
    objects: () => [...stored.values()],
    failJobs(fail) {
      areJobsFailing = fail;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Returns the answer to a question about the API itself; `null` if the path is another. */
function discovery(path: string): object | null {
  if (path === '/version') return { major: '1', minor: '35', gitVersion: 'v1.35.0' };
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] };
  if (path === '/apis') {
    const groups = Object.keys(KINDS)
      .filter((api) => api.startsWith('/apis/'))
      .map((api) => {
        const [, , name, version] = api.split('/');
        const preferredVersion = { groupVersion: `${name}/${version}`, version };
        return { name, versions: [preferredVersion], preferredVersion };
      });
    return { kind: 'APIGroupList', apiVersion: 'v1', groups };
  }
  if (path === '/openapi/v3') {
    const paths = Object.keys(KINDS).map((api) => [api.slice(1), { serverRelativeURL: `/openapi/v3${api}` }]);
    return { paths: Object.fromEntries(paths) };
  }
  const described = /^\/openapi\/v3(\/.+)$/.exec(path)?.[1];
  if (described !== undefined) return validation(described);
  const kinds = KINDS[path];
  if (!kinds) return null;
  const resources = Object.entries(kinds).map(([name, kind]) => ({
    name,
    kind,
    namespaced: !kind.startsWith('Cluster'),
    verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  }));
  return { kind: 'APIResourceList', groupVersion: path.replace(/^\/apis?\//, ''), resources };
}

/** Returns a description which says that the server validates every kind, so that Helm leaves it to the server. */
function validation(api: string): object {
  const [version, group = ''] = api.split('/').slice(2).toReversed();
  const paths = Object.entries(KINDS[api] ?? {}).map(([name, kind]) => {
    const patch = {
      parameters: [{ name: 'fieldValidation', in: 'query' }],
      'x-kubernetes-group-version-kind': { group, version, kind },
    };
    return [`${api}/${name}/{name}`, { patch }];
  });
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.35.0' },
    paths: Object.fromEntries(paths),
  };
}

const REASONS: Readonly<Record<number, string>> = { 404: 'NotFound', 409: 'AlreadyExists', 422: 'Invalid' };

function status(code: number, message: string): object {
  const reason = REASONS[code] ?? 'InternalError';
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message };
}

function send(res: ServerResponse, code: number, body: object): void {
  res.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Returns the object of a request, as JSON or in the form in which Helm sends its own Secrets. */
async function bodyOf(req: IncomingMessage): Promise<KubernetesObject> {
  const body = await buffer(req);
  if (!req.headers['content-type']?.includes('protobuf')) return JSON.parse(body.toString());
  // Four bytes of magic, then `runtime.Unknown`, whose second field is the Secret.
  const secret = fieldsOf(fieldsOf(body.subarray(4)).get(2)![0]!);
  const metadata = fieldsOf(secret.get(1)![0]!);
  const text = (fields: Map<number, Buffer[]>, field: number) => fields.get(field)?.[0]?.toString() ?? '';
  const mapOf = (entries: readonly Buffer[] = [], encoding: BufferEncoding = 'utf8') =>
    Object.fromEntries(
      entries.map(fieldsOf).map((entry) => [text(entry, 1), entry.get(2)?.[0]?.toString(encoding) ?? '']),
    );
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: text(metadata, 1), namespace: text(metadata, 3), labels: mapOf(metadata.get(11)) },
    data: mapOf(secret.get(2), 'base64'),
    type: text(secret, 3),
  };
}

/** Returns the length-delimited fields of a Protobuf message by number. Numbers are left out. */
function fieldsOf(message: Buffer): Map<number, Buffer[]> {
  const fields = new Map<number, Buffer[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = message[at]!;
      at += 1;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const size = varint();
    if (tag % 8 !== 2) continue; // a number, already read
    const field = Math.floor(tag / 8);
    fields.set(field, [...(fields.get(field) ?? []), message.subarray(at, at + size)]);
    at += size;
  }
  return fields;
}
