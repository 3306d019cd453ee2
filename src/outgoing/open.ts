import { trustCertificates } from './certificates.ts';
import { usesProxies } from './proxies.ts';

/**
 * Prepares this process for outgoing requests: trusts the configured certificate authorities and, if the environment
 * names a proxy, sends `fetch` through it. Call it before the first request.
 * @returns warnings for the operator
 * @throws ProxyError if a proxy variable is invalid
 */
export async function openOutgoing(env: NodeJS.ProcessEnv): Promise<string[]> {
  const warning = trustCertificates(env);
  if (usesProxies(env)) {
    // Loaded on demand, because the package needs much memory.
    const { setGlobalDispatcher } = await import('undici');
    const { OutgoingDispatcher } = await import('./dispatcher.ts');
    setGlobalDispatcher(new OutgoingDispatcher());
  }
  return warning === null ? [] : [warning];
}
