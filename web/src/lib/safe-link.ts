const ALLOWED: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/** A link that may be followed, and where it leads in words. */
export interface SafeLink {
  readonly href: string;
  /** Host of a web page, address of a mail. */
  readonly target: string;
}

/**
 * A link of untrusted text, when it leads to the web or to a mailbox; null for every other scheme and for what is
 * relative: that would lead into this dashboard or its API.
 */
export function safeLink(href: string | undefined): SafeLink | null {
  if (href === undefined || !URL.canParse(href)) return null;
  const url = new URL(href);
  if (!ALLOWED.has(url.protocol)) return null;
  // What the browser made of it: a host in Punycode, no spaces and no control characters.
  return { href: url.href, target: url.protocol === 'mailto:' ? url.pathname : url.host };
}
