import type { ServerResponse } from 'node:http';

/** Hash of the empty text, so that scripts may create an empty <style> element and insert rules into its sheet. */
const EMPTY_STYLE = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";

/** Policy of the dashboard: loads everything from this server, inserts styles by script, never turns text into HTML. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${EMPTY_STYLE}`,
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Policy of GraphiQL, one page with inline scripts, styles and workers; served only if `api.graphiql` is on. */
const GRAPHIQL_POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline' 'unsafe-eval' blob:",
  'worker-src blob:',
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const COMMON = Object.entries({
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
});

export function setSecurityHeaders(res: ServerResponse, options: { graphiql: boolean }): void {
  for (const [name, value] of COMMON) res.setHeader(name, value);
  res.setHeader('Content-Security-Policy', options.graphiql ? GRAPHIQL_POLICY : PAGE_POLICY);
}
