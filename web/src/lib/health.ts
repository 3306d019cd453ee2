/** What the server says about itself. */
export interface Health {
  readonly healthy: boolean;
  /** `tarsy/1.2.3`; null when it does not tell. */
  readonly version: string | null;
  /** Its own parts by name, such as `database`. */
  readonly checks: Readonly<Record<string, { readonly status: string }>>;
}

/** A redirect leads to where one signs in, which is not what was asked for. */
const ASKED = { cache: 'no-store', redirect: 'manual' } as const;

/** Asks /health. Null when nobody answers, or something that is not TARSy. */
export async function fetchHealth(signal?: AbortSignal): Promise<Health | null> {
  try {
    // An unhealthy server answers too, with 503.
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

/** The dashboard that the server hands out now, by the name of its first script, which changes with any change. */
export async function fetchBuild(): Promise<string | null> {
  try {
    const response = await fetch('/', { ...ASKED, headers: { accept: 'text/html' } });
    return response.ok ? buildOf(await response.text()) : null;
  } catch {
    return null;
  }
}

/** The name of the first script that a page of the dashboard loads. */
export function buildOf(html: string): string | null {
  return /<script[^>]*\ssrc="([^"]+)"/.exec(html)?.[1] ?? null;
}
