import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Steps of a release, complete before anything is written. */
export interface ReleasePlan {
  /** New contents of files, by path from the root of the repository. */
  files: { path: string; text: string }[];
  /** Subject of the commit. */
  subject: string;
  /** Name of the annotated tag, such as `v0.2.0`. */
  tag: string;
  /** Message of the tag: the changelog's entries of this version, in Markdown. */
  notes: string;
}

/**
 * Plans the release of `version` in the repository at `root`.
 * @param version three numbers, such as `0.2.0`, greater than the current version
 * @param date the date of the release; written in UTC
 * @throws Error if the version is not newer, the tag exists, the tree is not clean, or the changelog has no unreleased
 *   entries
 */
export function planRelease(root: string, version: string, date = new Date()): ReleasePlan {
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const tag = `v${version}`;
  checkVersion(version, (JSON.parse(read('package.json')) as { version: string }).version);
  if (git(root, ['status', '--porcelain']) !== '')
    throw new Error('The working tree is not clean: commit or stash the changes first.');
  if (git(root, ['tag', '--list', tag]) !== '') throw new Error(`The tag ${tag} exists already.`);
  const { changelog, notes } = cutChangelog(read('CHANGELOG.md'), version, date);
  const files = [
    { path: 'package.json', text: withVersion(read('package.json'), version) },
    { path: 'package-lock.json', text: withVersion(read('package-lock.json'), version) },
    {
      path: 'llm-service/pyproject.toml',
      text: withPythonVersion(read('llm-service/pyproject.toml'), version),
    },
    { path: 'deploy/helm/Chart.yaml', text: withChartVersion(read('deploy/helm/Chart.yaml'), version) },
    { path: 'CHANGELOG.md', text: changelog },
  ];
  return { files, subject: `release: set version ${version}`, tag, notes: `TARSy ${version}\n\n${notes}` };
}

/** Writes the files of the plan, commits them, and makes the annotated tag. */
export function makeRelease(root: string, { files, subject, tag, notes }: ReleasePlan): void {
  for (const { path, text } of files) writeFileSync(join(root, path), text);
  git(root, ['commit', '--quiet', '-m', subject, '--', ...files.map(({ path }) => path)]);
  // Verbatim, because git would remove the headings of the notes as comments.
  git(root, ['tag', '--annotate', '--cleanup=verbatim', '--file=-', tag], notes);
}

function checkVersion(version: string, current: string): void {
  if (!/^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}$/.test(version))
    throw new Error(`${version} is not a version of three numbers, such as 0.2.0.`);
  if (version.localeCompare(current, 'en', { numeric: true }) <= 0)
    throw new Error(`${version} is not newer than the current version ${current}.`);
}

/** Turns the unreleased section into that of `version`, below a new and empty one. */
function cutChangelog(text: string, version: string, date: Date): { changelog: string; notes: string } {
  const [, before, notes, after] =
    /^([\s\S]*?^## \[Unreleased\]\n)([\s\S]*?)(^## \[[\s\S]*|$(?![\s\S]))/m.exec(text) ?? [];
  if (before === undefined || !notes || !/^- /m.test(notes))
    throw new Error('CHANGELOG.md has no unreleased entries: there is nothing to release.');
  const heading = `## [${version}] - ${date.toISOString().slice(0, 10)}`;
  return { changelog: `${before}\n${heading}\n${notes}${after}`, notes: `${notes.trim()}\n` };
}

/** Returns a package.json or package-lock.json with another version of the root package. */
function withVersion(text: string, version: string): string {
  const content = JSON.parse(text) as { version: string; packages?: { ''?: { version: string } } };
  content.version = version;
  const root = content.packages?.[''];
  if (root) root.version = version;
  return `${JSON.stringify(content, null, 2)}\n`;
}

function withPythonVersion(text: string, version: string): string {
  const changed = text.replace(/^(\[project\]\n(?:(?!\[).*\n)*?version = )".*"$/m, `$1"${version}"`);
  if (!changed.includes(`\nversion = "${version}"\n`))
    throw new Error('llm-service/pyproject.toml has no version in its section [project].');
  return changed;
}

/** Returns a Chart.yaml with another version of the chart and of the images that it deploys. */
function withChartVersion(text: string, version: string): string {
  const changed = text.replace(/^(version|appVersion): .*$/gm, `$1: ${version}`);
  if (!changed.includes(`\nversion: ${version}\nappVersion: ${version}\n`))
    throw new Error('deploy/helm/Chart.yaml has no version, or no appVersion after it.');
  return changed;
}

function git(root: string, args: readonly string[], input = ''): string {
  return execFileSync('git', args, { cwd: root, input, encoding: 'utf8' });
}
