export interface Health {
  readonly healthy: boolean;
  /** Such as `tarsy/1.2.3`; null if missing. */
  readonly version: string | null;
  /** Status by component, such as `database`. */
  readonly checks: Readonly<Record<string, { readonly status: string }>>;
}

/** Does not follow redirects, which lead to a sign-in page. */
const ASKED = { cache: 'no-store', redirect: 'manual' } as const;

/** Requests /health; null if the server does not answer or is not TARSy. */
export async function fetchHealth(signal?: AbortSignal): Promise<Health | null> {
  try {
    // An unhealthy server answers with 503 and a body.
    const response = await fetch('/health', { ...ASKED, ...(signal ? { signal } : {}) });
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

/** Identifies the dashboard build served now by its first script, whose name changes with every build. */
export async function fetchBuild(): Promise<string | null> {
  try {
    const response = await fetch('/', { ...ASKED, headers: { accept: 'text/html' } });
    return response.ok ? buildOf(await response.text()) : null;
  } catch {
    return null;
  }
}

/** Returns the name of the first script of a dashboard page. */
export function buildOf(html: string): string | null {
  return /<script[^>]*\ssrc="([^"]+)"/.exec(html)?.[1] ?? null;
}
