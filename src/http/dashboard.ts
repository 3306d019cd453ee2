import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { rootFrom } from './sub-path.ts';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};
const COMPRESSIBLE = /^(text|application\/(json|manifest)|image\/svg)/;

interface Asset {
  body: Buffer;
  brotli: Buffer | null;
  zipped: Buffer | null;
  type: string;
  etag: string;
  immutable: boolean;
}
interface Build {
  builtAt: number;
  assets: ReadonlyMap<string, Asset>;
}

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>TARSy</title>
<h1>The dashboard is not built</h1><p>Run <code>npm run web:build</code> and load this page again. The API is at <a href="./graphql">/graphql</a>.</p></html>`;

/** Serves the built dashboard from memory. A new build is loaded when `index.html` changes. */
export function createDashboard(dir: string) {
  let current: Promise<Build> | null = null;

  const build = async (): Promise<Build | null> => {
    const info = await stat(join(dir, 'index.html')).catch(() => null);
    if (!info) return null;
    if ((await current)?.builtAt !== info.mtimeMs) current = readBuild(dir, info.mtimeMs);
    return current;
  };

  return async (req: IncomingMessage, res: ServerResponse, path: string): Promise<void> => {
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.writeHead(405, { Allow: 'GET, HEAD' }).end();
      return;
    }
    const found = await build();
    if (!found) {
      res.writeHead(503, { 'Content-Type': TYPES['.html'], 'Cache-Control': 'no-store', 'Retry-After': '5' });
      res.end(withRoot(NOT_BUILT, req));
      return;
    }
    // A path without an extension is a page of the dashboard, whose own router handles it in the browser.
    const asset = found.assets.get(path);
    const page = extname(path) ? undefined : found.assets.get('/index.html');
    if (asset) send(req, res, asset);
    else if (page) send(req, res, assetOf(withRoot(page.body.toString(), req), page));
    else
      res.writeHead(404, { 'Content-Type': TYPES['.txt'], 'Cache-Control': 'no-store' }).end('Not found\n');
  };
}

/**
 * Returns the page with addresses relative to the request's path, because the server does not know below which path a
 * proxy serves it.
 */
function withRoot(page: string, { url = '/' }: IncomingMessage): string {
  return page.replaceAll('="./', `="${rootFrom(url)}`);
}

async function readBuild(dir: string, builtAt: number): Promise<Build> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && extname(entry.name) !== '.br')
    .map((entry) => join(entry.parentPath, entry.name));
  const assets = await Promise.all(
    files.map(async (file): Promise<[string, Asset]> => {
      const path = file.slice(dir.length).replaceAll('\\', '/');
      return [path.startsWith('/') ? path : `/${path}`, await readAsset(file)];
    }),
  );
  return { builtAt, assets: new Map(assets) };
}

async function readAsset(file: string): Promise<Asset> {
  const body = await readFile(file);
  const type = TYPES[extname(file)] ?? 'application/octet-stream';
  return {
    body,
    brotli: await readFile(`${file}.br`).catch(() => null),
    zipped: COMPRESSIBLE.test(type) && body.length > 1024 ? await promisify(gzip)(body) : null,
    type,
    etag: etagOf(body),
    immutable: file.includes('/assets/'), // asset names contain a content hash
  };
}

function assetOf(text: string, { type, immutable }: Asset): Asset {
  const body = Buffer.from(text);
  return { body, brotli: null, zipped: null, type, etag: etagOf(body), immutable };
}

function etagOf(body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

function send(req: IncomingMessage, res: ServerResponse, asset: Asset): void {
  const taken = String(req.headers['accept-encoding'] ?? '');
  const [encoding, packed] =
    asset.brotli && /\bbr\b/.test(taken)
      ? ['br', asset.brotli]
      : asset.zipped && taken.includes('gzip')
        ? ['gzip', asset.zipped]
        : [null, asset.body];
  res.setHeader('Cache-Control', asset.immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  res.setHeader('ETag', asset.etag);
  res.setHeader('Vary', 'Accept-Encoding');
  // Searches the header, because it may hold several tags, and a proxy that compresses marks a tag as weak.
  if (req.headers['if-none-match']?.includes(asset.etag)) {
    res.writeHead(304).end();
    return;
  }
  if (encoding !== null) res.setHeader('Content-Encoding', encoding);
  res.writeHead(200, { 'Content-Type': asset.type, 'Content-Length': packed.length });
  res.end(req.method === 'HEAD' ? undefined : packed);
}
