import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RepositorySettings } from '../config.ts';
import { type GitRun, git } from './run.ts';

/** Number of commits that are fetched of a branch: weeks of a busy repository, in seconds. */
export const GIT_DEPTH = 500;
/** A fetched branch is used for this time (ms). */
const FRESH_MS = 60_000;
const BRANCH = 'refs/heads/followed';

export interface Commit {
  sha: string;
  /** Time of the commit on the branch (ms since 1970). */
  time: number;
  author: string;
  subject: string;
  paths: readonly string[];
}

/** A file that differs between two revisions. Blob ids are `null` if the file does not exist. */
export interface ChangedFile {
  path: string;
  before: string | null;
  after: string | null;
}

/** One branch of a configured repository, in a bare copy of this server's own. All functions throw ToolFailure. */
export interface Repository {
  settings: RepositorySettings;
  /** Returns the commits of the branch in a time span (ms since 1970), newest first; a merge counts as one commit. */
  log(span: { since: number; until: number }, signal: AbortSignal): Promise<Commit[]>;
  /** Returns the time of the oldest fetched commit if older ones were not fetched; `null` if the history is whole. */
  cutAt(signal: AbortSignal): Promise<number | null>;
  /** Returns the whole id of a commit of the branch; `null` if it is not among those fetched. */
  find(revision: string, signal: AbortSignal): Promise<string | null>;
  /** Returns the first parent of a commit; `null` if it is not fetched or there is none. */
  parentOf(sha: string, signal: AbortSignal): Promise<string | null>;
  /** Returns the files that differ. @param before `null` for the empty tree @param folder `null` for all folders */
  changedFiles(
    range: { before: string | null; after: string; folder: string | null },
    signal: AbortSignal,
  ): Promise<ChangedFile[]>;
  read(blob: string, signal: AbortSignal): Promise<Buffer>;
}

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** Opens the repositories; each is fetched at its first use. The copies are removed when the process exits. */
export function openRepositories(settings: readonly RepositorySettings[]): Repository[] {
  if (settings.length === 0) return [];
  const home = mkdtempSync(join(tmpdir(), 'tarsy-changes-'));
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  const config = join(home, 'config');
  const folders = settings.filter(({ isLocal }) => isLocal).flatMap(({ url }) => [url, `${url}/.git`]);
  writeFileSync(config, configText(folders), { mode: 0o600 });
  return settings.map((each) => openRepository(each, { folder: join(home, each.name), config }));
}

/** Configuration of git: only the protocols of the settings, no redirects, and local folders of any owner. */
function configText(folders: readonly string[]): string {
  const protocols = ['file', 'https', 'ssh'].map((name) => `[protocol "${name}"]\n\tallow = always\n`);
  const quoted = folders.map((folder) => `\tdirectory = "${folder.replace(/["\\]/g, '\\$&')}"\n`);
  return [
    '[protocol]\n\tallow = never\n',
    ...protocols,
    '[http]\n\tfollowRedirects = false\n',
    '[core]\n\thooksPath = /dev/null\n\tquotePath = false\n',
    '[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[submodule]\n\trecurse = false\n',
    `[safe]\n${quoted.join('')}`,
  ].join('');
}

function openRepository(settings: RepositorySettings, place: Pick<GitRun, 'folder' | 'config'>): Repository {
  let fetched: { at: number; done: Promise<void> } | null = null;

  async function fetch(signal: AbortSignal): Promise<void> {
    mkdirSync(place.folder, { recursive: true, mode: 0o700 });
    await git({ ...place, signal }, ['init', '--quiet', '--bare', '--template=']);
    const source = settings.isLocal ? `file://${settings.url}` : settings.url;
    const options = ['--quiet', '--no-tags', '--no-recurse-submodules', `--depth=${GIT_DEPTH}`, '--force'];
    await git({ ...place, signal, header: settings.header }, [
      'fetch',
      ...options,
      '--',
      source,
      `+${settings.branch}:${BRANCH}`,
    ]);
  }

  async function run(signal: AbortSignal, ...args: readonly string[]): Promise<Buffer> {
    if (fetched === null || Date.now() - fetched.at > FRESH_MS) {
      const done = fetch(signal);
      fetched = { at: Date.now(), done };
      done.catch(() => {
        fetched = null;
      });
    }
    await fetched.done;
    return git({ ...place, signal }, args);
  }

  return {
    settings,
    async log({ since, until }, signal) {
      const span = [`--since=@${Math.floor(since / 1000)}`, `--until=@${Math.ceil(until / 1000)}`];
      const format = '--format=format:%x00%H%x00%ct%x00%an%x00%s%x00';
      const flags = [
        '--first-parent',
        '--diff-merges=first-parent',
        '--no-ext-diff',
        '--no-textconv',
        '--no-renames',
      ];
      const output = await run(signal, 'log', ...span, format, ...flags, '--name-only', BRANCH, '--');
      return parseLog(output.toString());
    },
    async cutAt(signal) {
      const times = (await run(signal, 'log', '--first-parent', '--format=%ct', BRANCH, '--'))
        .toString()
        .trim()
        .split('\n');
      return times.length < GIT_DEPTH ? null : Number(times.at(-1)) * 1000;
    },
    async find(revision, signal) {
      if (!/^[0-9a-f]{7,64}$/.test(revision)) return null;
      const all = (await run(signal, 'rev-list', BRANCH, '--')).toString().split('\n');
      return all.find((sha) => sha !== '' && sha.startsWith(revision)) ?? null;
    },
    async parentOf(sha, signal) {
      const line = (await run(signal, 'rev-list', '--parents', '--max-count=1', sha, '--')).toString();
      return line.trim().split(' ')[1] ?? null;
    },
    async changedFiles({ before, after, folder }, signal) {
      const flags = ['-r', '--raw', '-z', '--no-renames', '--no-ext-diff', '--no-textconv', '--abbrev=64'];
      const paths = folder === null ? [] : [`:(literal)${folder}`];
      return parseRaw(
        (await run(signal, 'diff-tree', ...flags, before ?? EMPTY_TREE, after, '--', ...paths)).toString(),
      );
    },
    read: (blob, signal) => run(signal, 'cat-file', 'blob', blob),
  };
}

/** Parses the log. Commits contain no NUL characters, so that a commit's text cannot look like another commit. */
function parseLog(output: string): Commit[] {
  const [, ...parts] = output.split('\0');
  const commits: Commit[] = [];
  for (let at = 0; at + 4 < parts.length; at += 5) {
    const [sha, time, author, subject, paths] = parts.slice(at, at + 5) as [
      string,
      string,
      string,
      string,
      string,
    ];
    commits.push({
      sha,
      time: Number(time) * 1000,
      author,
      subject,
      paths: paths.split('\n').filter((path) => path !== ''),
    });
  }
  return commits;
}

const NO_BLOB = /^0+$/;

/** Parses `:mode mode blob blob status NUL path NUL`. Submodules (mode 160000) have no content here. */
function parseRaw(output: string): ChangedFile[] {
  const parts = output.split('\0').filter((part) => part !== '');
  const files: ChangedFile[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [oldMode, newMode, before, after] = parts[at]!.slice(1).split(' ') as [
      string,
      string,
      string,
      string,
    ];
    if (oldMode === '160000' || newMode === '160000') continue;
    const blob = (id: string) => (NO_BLOB.test(id) ? null : id);
    files.push({ path: parts[at + 1]!, before: blob(before), after: blob(after) });
  }
  return files;
}
