import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { type KubeObject, objectsAt, textAt, timeAt, valueAt } from './fields.ts';

/** A proof of this server's identity to the API: a token, or a client certificate (PEM). */
export interface ExecCredential {
  token?: string;
  cert?: string;
  key?: string;
}

/** Time limit of a credential plugin (ms): it asks a cloud's API over the network. */
const PLUGIN_TIMEOUT_MS = 20_000;
/** Credentials are renewed this long before they expire (ms), so that none expires during a request. */
const RENEW_EARLY_MS = 60_000;

/** Returns a function that runs the plugin of a kubeconfig user, and caches the credentials until they expire. */
export function execCredentials(
  exec: KubeObject,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): () => Promise<ExecCredential> {
  const command = textAt(exec, 'command');
  const apiVersion = textAt(exec, 'apiVersion');
  if (command === null || apiVersion === null)
    throw new Error('KUBECONFIG: the exec plugin of the user needs command and apiVersion');
  const args = valueAt(exec, 'args');
  const extra = objectsAt(exec, 'env').map((each) => [
    textAt(each, 'name') ?? '',
    textAt(each, 'value') ?? '',
  ]);
  const program = command.includes('/') ? resolve(folder, command) : command;
  let cached: { credential: ExecCredential; until: number } | null = null;
  return async () => {
    if (cached !== null && Date.now() < cached.until) return cached.credential;
    const info = { apiVersion, kind: 'ExecCredential', spec: { interactive: false } };
    const status = await run(program, Array.isArray(args) ? args.map(String) : [], {
      ...env,
      ...Object.fromEntries(extra),
      KUBERNETES_EXEC_INFO: JSON.stringify(info),
    });
    const [token, cert, key] = ['token', 'clientCertificateData', 'clientKeyData'].map((name) =>
      textAt(status, name),
    );
    const credential = { ...(token && { token }), ...(cert && key && { cert, key }) };
    const expires = timeAt(status, 'expirationTimestamp');
    cached = { credential, until: expires === null ? Number.POSITIVE_INFINITY : expires - RENEW_EARLY_MS };
    return credential;
  };
}

async function run(command: string, args: string[], env: NodeJS.ProcessEnv): Promise<unknown> {
  let output: string;
  try {
    ({ stdout: output } = await promisify(execFile)(command, args, { env, timeout: PLUGIN_TIMEOUT_MS }));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    // Leaves out what the plugin wrote, because it may quote credentials.
    throw new Error(`the credential plugin ${command} failed (${code}); run it in a terminal to see why`);
  }
  try {
    return valueAt(JSON.parse(output), 'status');
  } catch {
    throw new Error(`the credential plugin ${command} did not print an ExecCredential`);
  }
}
