const ALLOWED: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/** A link that is safe to follow, and its target as text. */
export interface SafeLink {
  readonly href: string;
  /** Host of the web page, or the mail address. */
  readonly target: string;
}

/**
 * Checks a link of untrusted text. Returns null unless it is an absolute web or mail link, because relative links would
 * lead into this dashboard or its API.
 */
export function safeLink(href: string | undefined): SafeLink | null {
  if (href === undefined || !URL.canParse(href)) return null;
  const url = new URL(href);
  if (!ALLOWED.has(url.protocol)) return null;
  // `href` is in the browser's normal form: Punycode host, no spaces or control characters.
  return { href: url.href, target: url.protocol === 'mailto:' ? url.pathname : url.host };
}
