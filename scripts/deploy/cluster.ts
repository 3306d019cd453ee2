import { spawn } from 'node:child_process';
import { buffer } from 'node:stream/consumers';

/** A Kubernetes object in the form of its manifest. */
// biome-ignore lint/suspicious/noExplicitAny: manifests have no common shape
export type Manifest = any;

/** The cluster that `kubectl` or `oc` is configured for. */
export interface Cluster {
  /** Runs the tool and returns its output. `input` is hidden from other users. @throws DeployError with its error */
  run(args: readonly string[], input?: string): Promise<string>;
  /** Returns true if the cluster has the object. @param namespace `null` for cluster-scoped objects */
  has(kind: string, name: string, namespace: string | null): Promise<boolean>;
  /** Applies the objects and returns the result of each. With `dryRun`, the cluster only says what it would change. */
  apply(manifests: readonly Manifest[], dryRun: boolean): Promise<string>;
}

/** Thrown if a deployment fails. The message names the problem and how to solve it. */
export class DeployError extends Error {}

/** @param tool name or path of `kubectl` or `oc` */
export function openCluster(tool: string): Cluster {
  const cluster: Cluster = {
    async run(args, input = '') {
      const child = spawn(tool, args, { stdio: 'pipe' });
      const missing = new Promise<never>((_resolve, reject) => {
        child.once('error', () =>
          reject(new DeployError(`${tool} cannot be started: install it, or put it on the PATH`)),
        );
      });
      // A tool that ends without reading its input; its exit status says why.
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
      const work = Promise.all([buffer(child.stdout), buffer(child.stderr), ended]);
      const [out, error, status] = await Promise.race([work, missing]);
      if (status === 0) return out.toString();
      throw new DeployError(
        `${tool} ${args.slice(0, 3).join(' ')} failed: ${error.toString().trim() || `status ${status}`}`,
      );
    },
    async has(kind, name, namespace) {
      const where = namespace === null ? [] : ['--namespace', namespace];
      const found = await cluster.run(['get', kind, name, ...where, '--ignore-not-found', '--output=name']);
      return found.trim() !== '';
    },
    apply(manifests, dryRun) {
      const list = { apiVersion: 'v1', kind: 'List', items: manifests };
      // Server-side apply, because a client-side apply would copy every Secret into an annotation.
      const how = ['--server-side', '--force-conflicts', '--field-manager=tarsy-deploy'];
      return cluster.run(
        ['apply', ...how, ...(dryRun ? ['--dry-run=server'] : []), '--filename=-'],
        JSON.stringify(list),
      );
    },
  };
  return cluster;
}
