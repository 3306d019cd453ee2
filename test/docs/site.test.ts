import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import Markdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../scripts/lib/dev-python.ts';
import { buildSite, sitePython } from '../../scripts/site/site.ts';
import { MachineError } from '../../src/machine/errors.ts';
import { openBrowser } from '../helpers/browser.ts';
import { NO_BROWSER } from '../helpers/dashboard.ts';

const SOURCES = 'https://git.example.com/tarsy/blob/main';
/** Elements that GitHub and the site must show equally often. Headings, because a lost fence turns comments into some. */
const COUNTED = ['li', 'td', 'pre', 'h1', 'h2', 'h3'] as const;
const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

/** Reason why MkDocs cannot be installed here; `null` if it is installed. */
const missing = await sitePython().then(
  () => null,
  (error: unknown) => {
    if (error instanceof MachineError && error.code === 'PACKAGE_REGISTRY_UNREACHABLE') return error.message;
    throw error;
  },
);
const suite = `the site of the docs${missing === null ? '' : ` (skipped: ${missing})`}`;

describe.skipIf(missing !== null)(suite, () => {
  const dir = mkdtempSync(join(tmpdir(), 'tarsy-site-test-'));
  const out = join(dir, 'site');
  const built = (page: string) => readFileSync(join(out, page), 'utf8');
  let problems: string[];
  beforeAll(async () => {
    problems = await buildSite({ out, sources: null });
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  test('is built without a warning, and its links lead somewhere', () => {
    expect(problems).toEqual([]);
  });

  test('shows every page with the lists, tables and code blocks that GitHub shows', () => {
    const pages = globSync('**/*.md', { cwd: join(ROOT, 'docs') });
    const counts = (html: string) =>
      COUNTED.map((name) => `${html.split(new RegExp(`<${name}[ >]`)).length - 1} ${name}`);
    const different = pages.filter((page) => {
      const text = readFileSync(join(ROOT, 'docs', page), 'utf8');
      const github = renderToStaticMarkup(createElement(Markdown, { remarkPlugins: [remarkGfm] }, text));
      const [, article = ''] = built(page.replace(/\.md$/, '.html')).split(/<article[^>]*>|<\/article>/);
      return counts(github).join() !== counts(article).join();
    });
    expect(pages.length).toBeGreaterThan(50);
    expect(different).toEqual([]);
  });

  test('has every page in its navigation', () => {
    const navigation = /<nav class="md-nav md-nav--primary[\s\S]*?<\/nav>\s*<\/div>/.exec(
      built('index.html'),
    )![0];
    const pages = globSync('**/*.md', { cwd: join(ROOT, 'docs') }).map((page) =>
      page.replace(/\.md$/, '.html'),
    );
    expect(pages.filter((page) => !navigation.includes(`href="${page}"`))).toEqual([]);
  });

  describe.skipIf(NO_BROWSER)('in a browser', () => {
    let browser: Browser;
    let server: Server;
    let url: string;
    beforeAll(async () => {
      browser = await openBrowser();
      server = createServer(({ url: asked = '/' }, response) => {
        const file = asked.split('?')[0]!.replace('/docs/', '');
        response.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream');
        response.end(readFileSync(join(out, file)));
      });
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      url = `http://127.0.0.1:${(server.address() as { port: number }).port}/docs/index.html`;
    });
    afterAll(async () => {
      await browser.close();
      server.close();
    });

    test('finds pages by their words, also below a path, without asking another host', async () => {
      const page = await browser.newPage();
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      await page.goto(url);
      // Typed, because the page searches at the release of a key.
      await page.getByRole('textbox', { name: 'Search' }).pressSequentially('idempotencyKey');
      await page.locator('.md-search-result').getByRole('link').first().click();
      await page.waitForURL(/\.html\?h=/);
      expect(await page.getByRole('article').textContent()).toContain('idempotencyKey');
      expect(
        asked.filter(
          (address) => !/^(?:data:|blob:)/.test(address) && !address.startsWith(new URL(url).origin),
        ),
      ).toEqual([]);
    });

    test.each(['light', 'dark'] as const)('follows a system that is set to %s', async (scheme) => {
      const page = await browser.newPage({ colorScheme: scheme });
      await page.goto(url);
      const shown = scheme === 'dark' ? 'slate' : 'default';
      await expect.poll(() => page.locator('body').getAttribute('data-md-color-scheme')).toBe(shown);
    });
  });

  test('leads to sources at the given address, and refuses what a page must not have', async () => {
    const docs = join(dir, 'docs');
    cpSync(join(ROOT, 'docs/adr'), join(docs, 'adr'), { recursive: true });
    const links = {
      good: '[decisions](adr), [the schema](../schema.graphql), [a folder](../deploy/compose)',
      bad: '[gone](gone.md)\n[lost](index.md#lost)\n[odd](https://nowhere)\n![far](https://example.com/far.png)',
    };
    writeFileSync(join(docs, 'index.md'), `# Docs\n\n## Project: work on it\n\n- ${links.good}\n`);
    const options = { docs, out: join(dir, 'other'), sources: SOURCES };
    expect(await buildSite(options)).toEqual([]);
    const index = readFileSync(join(options.out, 'index.html'), 'utf8');
    for (const to of ['adr/index.html', `${SOURCES}/schema.graphql`, `${SOURCES}/deploy/compose`])
      expect(index).toContain(`href="${to}"`);

    writeFileSync(join(docs, 'index.md'), `# Docs\n\n${links.bad}\n`);
    const refused = (await buildSite(options)).join('\n');
    for (const what of ['gone.md', '#lost']) expect(refused).toContain(what);
    writeFileSync(join(docs, 'index.md'), `# Docs\n\n${links.bad.split('\n').slice(2).join('\n')}\n`);
    expect(await buildSite(options)).toEqual([
      'index.html: not a well-formed address of another host: https://nowhere',
      'index.html: loaded from another host: https://example.com/far.png',
    ]);
  });
});
