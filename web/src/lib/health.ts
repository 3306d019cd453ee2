import { SUB_PATH } from './sub-path.ts';

export interface Health {
  readonly healthy: boolean;
  /** The server's version, such as `tarsy/1.2.3`; null if the answer has none. */
  readonly version: string | null;
  /** Status by component, such as `database`. */
  readonly checks: Readonly<Record<string, { readonly status: string }>>;
}

/** Request options: no cache, and no redirects, because they lead to a sign-in page. */
const ASKED = { cache: 'no-store', redirect: 'manual' } as const;

/** Returns the answer of /health; null if the server does not answer or is not TARSy. */
export async function fetchHealth(signal?: AbortSignal): Promise<Health | null> {
  try {
    // An unhealthy server answers with 503 and a body.
    const response = await fetch(`${SUB_PATH}/health`, { ...ASKED, ...(signal ? { signal } : {}) });
    const body = (await response.json()) as {
      version?: unknown;
      status?: unknown;
      checks?: Health['checks'];
    };
    return {
      healthy: body.status === 'healthy',
      version: typeof body.version === 'string' ? body.version : null,
      checks: body.checks ?? {},
    };
  } catch {
    return null;
  }
}

/** Returns the file name of the served dashboard's first script, which every build changes; null if unknown. */
export async function fetchBuild(): Promise<string | null> {
  try {
    const response = await fetch(`${SUB_PATH}/`, { ...ASKED, headers: { accept: 'text/html' } });
    return response.ok ? buildOf(await response.text()) : null;
  } catch {
    return null;
  }
}

/** Returns the file name of a dashboard page's first script, which every build changes; null if there is none. */
export function buildOf(html: string): string | null {
  return /<script[^>]*\ssrc="(?:[^"]*\/)?([^"]+)"/.exec(html)?.[1] ?? null;
}
