import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOn } from './listen.ts';

/** A Kubernetes API server for read-only tools: discovery, lists and single objects of one namespace. */
export interface KubernetesApi {
  /** Value for --kubeconfig. */
  kubeconfig: string;
  /** `METHOD path` of every request. */
  requests: string[];
  close(): Promise<void>;
}

/** The token in the kubeconfig of the fake API server. */
export const KUBERNETES_TOKEN = 'k8s-4f9a8b7c6d5e4f3a2b1c';

interface KubernetesObject {
  kind: string;
  metadata: { name: string; namespace?: string };
}

const RESOURCES = {
  namespaces: { kind: 'Namespace', namespaced: false },
  pods: { kind: 'Pod', namespaced: true },
  events: { kind: 'Event', namespaced: true },
  secrets: { kind: 'Secret', namespaced: true },
} as const;
type Resource = keyof typeof RESOURCES;

/** `objects` are served by the API. `logs` maps pod names to logs. */
export async function startKubernetesApi(
  objects: readonly KubernetesObject[],
  logs: Record<string, string> = {},
): Promise<KubernetesApi> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    route(request, response);
  });

  function route(request: IncomingMessage, response: ServerResponse): void {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const json = (body: object, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const fixed = DISCOVERY[pathname];
    if (fixed !== undefined) return void json(fixed);
    const match = /^\/api\/v1(?:\/namespaces\/([^/]+))?\/([a-z]+)(?:\/([^/]+)(\/log)?)?$/.exec(pathname);
    const [, namespace, resource, name, log] = match ?? [];
    if (log !== undefined) return void response.end(logs[name ?? ''] ?? '');
    const known = resource === undefined || !(resource in RESOURCES) ? null : RESOURCES[resource as Resource];
    const found = objects.filter(
      ({ kind, metadata }) =>
        kind === known?.kind &&
        (namespace === undefined || metadata.namespace === namespace) &&
        (name === undefined || metadata.name === name),
    );
    if (known === null || (name !== undefined && found.length === 0)) {
      const message = `${resource} "${name}" not found`;
      return void json(
        { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404, message },
        404,
      );
    }
    if (name !== undefined) return void json({ apiVersion: 'v1', ...found[0] });
    if (request.headers.accept?.includes('as=Table')) return void json(table(found));
    const items = found.map((item) => ({ apiVersion: 'v1', ...item }));
    json({ kind: `${known.kind}List`, apiVersion: 'v1', metadata: { resourceVersion: '1' }, items });
  }

  const url = `http://127.0.0.1:${await listenOn(server)}`;
  return {
    kubeconfig: kubeconfig(url),
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The table that kubectl prints, with a single column for the name. */
function table(objects: readonly KubernetesObject[]): object {
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion: '1' },
    columnDefinitions: [{ name: 'Name', type: 'string', format: 'name', description: '', priority: 0 }],
    rows: objects.map((object) => ({
      cells: [object.metadata.name],
      object: { apiVersion: 'v1', ...object },
    })),
  };
}

const DISCOVERY: Record<string, object> = {
  '/version': { major: '1', minor: '34', gitVersion: 'v1.34.0', platform: 'linux/amd64' },
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [] },
  '/api/v1': {
    kind: 'APIResourceList',
    groupVersion: 'v1',
    resources: Object.entries(RESOURCES).map(([name, { kind, namespaced }]) => ({
      name,
      singularName: kind.toLowerCase(),
      kind,
      namespaced,
      verbs: ['get', 'list'],
    })),
  },
};

function kubeconfig(server: string): string {
  return `apiVersion: v1
kind: Config
clusters: [{ name: test, cluster: { server: "${server}" } }]
users: [{ name: test, user: { token: ${KUBERNETES_TOKEN} } }]
contexts: [{ name: test, context: { cluster: test, user: test, namespace: default } }]
current-context: test
`;
}
