import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { stringify } from 'yaml';
import { ensureHome } from '../../src/machine/home.ts';
import { ensurePythonEnv } from '../../src/machine/python-env.ts';
import { ROOT } from '../lib/dev-python.ts';
import { oneAtATime } from '../lib/one-at-a-time.ts';
import { builtLinkProblems } from './built-links.ts';
import { folderTitle, navigationOf } from './navigation.ts';
import { linkTargets, sitePage } from './page.ts';

export interface SiteOptions {
  /** Folder of the built site. A build removes the previous content. */
  readonly out: string;
  /** Address before the path of a source file; `null` shows links to sources as code. */
  readonly sources: string | null;
  /** Folder of the pages. Default: docs/ of this repository. */
  readonly docs?: string;
}

/**
 * Builds the site and returns its problems: warnings of MkDocs, links that lead nowhere, and requests to other hosts.
 * @throws MachineError if MkDocs cannot be installed
 */
export async function buildSite({ out, sources, docs = join(ROOT, 'docs') }: SiteOptions): Promise<string[]> {
  const python = await sitePython();
  const work = mkdtempSync(join(tmpdir(), 'tarsy-site-'));
  try {
    writePages(docs, join(work, 'docs'), sources);
    const pages = globSync('**/*.md', { cwd: join(work, 'docs') });
    const config = {
      INHERIT: join(import.meta.dirname, 'mkdocs.yml'),
      docs_dir: join(work, 'docs'),
      site_dir: resolve(out),
      nav: navigationOf(readFileSync(join(docs, 'index.md'), 'utf8'), pages),
    };
    writeFileSync(join(work, 'mkdocs.yml'), stringify(config));
    const warnings = await mkdocs(python, work);
    return warnings.length > 0 ? warnings : builtLinkProblems(resolve(out));
  } finally {
    rmSync(work, { recursive: true });
  }
}

/**
 * Returns the Python interpreter with MkDocs. The first caller installs it, while other processes wait.
 * @throws MachineError if it cannot be installed
 */
export async function sitePython(): Promise<string> {
  const home = ensureHome(resolve(ROOT, '.tarsy'));
  const logger = pino({ level: 'silent' });
  const options = { home, name: 'python-site', serviceDir: import.meta.dirname, logger };
  const { python } = await oneAtATime(resolve(home, 'python-site.lock'), () => ensurePythonEnv(options));
  return python;
}

/** Writes the pages as MkDocs needs them, with the pictures and other files of the docs. */
function writePages(docs: string, to: string, sources: string | null): void {
  cpSync(docs, to, { recursive: true });
  cpSync(join(ROOT, 'web/src/favicon.svg'), join(to, 'favicon.svg'));
  cpSync(join(import.meta.dirname, 'site.css'), join(to, 'site.css'));
  const pages = globSync('**/*.md', { cwd: docs });
  const texts = new Map(pages.map((page) => [page, readFileSync(join(docs, page), 'utf8')]));
  const linked = new Set([...texts].flatMap(([page, text]) => linkTargets(text, page)));
  const folders = new Set(pages.map((page) => dirname(page)).filter((folder) => linked.has(folder)));
  const listed = new Set([...folders].filter((folder) => !texts.has(`${folder}/index.md`)));
  const has = (path: string) =>
    !path.startsWith('..') && existsSync(join(docs, path)) && statSync(join(docs, path)).isFile();
  for (const [page, text] of texts)
    writeFileSync(join(to, page), sitePage(text, { page, listed, has, sources }));
  for (const folder of listed) {
    const own = pages.filter((page) => dirname(page) === folder).toSorted();
    const lines = own.map((page) => `- [${titleOf(texts.get(page)!) ?? page}](${basename(page)})`);
    writeFileSync(join(to, folder, 'index.md'), `# ${folderTitle(folder)}\n\n${lines.join('\n')}\n`);
  }
}

const titleOf = (text: string): string | undefined => /^# +(.+)$/m.exec(text)?.[1];

/** Runs MkDocs in strict mode and returns its warnings and errors, without duplicates. */
async function mkdocs(python: string, work: string): Promise<string[]> {
  const args = ['-m', 'mkdocs', 'build', '--strict', '--config-file', join(work, 'mkdocs.yml')];
  const ended = await run(python, args, { maxBuffer: 2 ** 24 }).then(
    ({ stderr }) => ({ failed: false, stderr }),
    (error: { stderr?: string }) => ({ failed: true, stderr: error.stderr || String(error) }),
  );
  const lines = ended.stderr.split('\n').map((line) => line.trim());
  const warnings = lines.filter((line) => /^(?:WARNING|ERROR|CRITICAL|DeprecationWarning)/.test(line));
  if (ended.failed && warnings.length === 0) return [`mkdocs failed: ${ended.stderr.trim()}`];
  return [...new Set(warnings)];
}

const run = promisify(execFile);
