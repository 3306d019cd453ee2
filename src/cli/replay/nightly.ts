import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../../common/error-message.ts';
import { CliError, EXIT } from '../errors.ts';
import { type Plan, readResults } from './results.ts';
import { isFinal } from './runner.ts';
import { plannedCount } from './summary.ts';
import { type NightlyRun, renderTrendPage } from './trend-page.ts';

/** The name of a result file in the folder of nightly runs: the start of the run in UTC. */
const NAME = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\dZ)\.json$/;

/** Time (ms) for which an interrupted run is resumed. Later, the same command starts a new run. */
const RESUME_MS = 12 * 60 * 60 * 1000;

/** The files of a nightly run. */
export interface NightlyFiles {
  /** Where this run keeps its results. */
  out: string;
  /** The result file of the run before; `null` if there is none. */
  previous: string | null;
}

/**
 * Chooses the file of a run: the newest one if it has the same plan, is not complete and is recent, so that the same
 * command resumes; otherwise a new one.
 */
export async function nightlyFiles(folder: string, plan: Plan, now: Date): Promise<NightlyFiles> {
  await withFolderErrors(folder, () => mkdir(folder, { recursive: true }));
  const names = await namesOf(folder);
  const newest = names.at(-1);
  const isResumed = newest !== undefined && (await canResume(folder, newest, { plan, now }));
  const name = isResumed ? newest : `${now.toISOString().slice(0, 19).replaceAll(':', '-')}Z.json`;
  const previous = names.filter((other) => other < name).at(-1);
  return { out: join(folder, name), previous: previous === undefined ? null : join(folder, previous) };
}

async function canResume(folder: string, name: string, run: { plan: Plan; now: Date }): Promise<boolean> {
  if (run.now.getTime() - Date.parse(startOf(name)) > RESUME_MS) return false;
  const results = (await readResults(join(folder, name)))!;
  const isOpen = results.results.filter(isFinal).length < plannedCount(results);
  return isOpen && JSON.stringify(results.plan) === JSON.stringify(run.plan);
}

/** Returns the start of a run, ISO 8601 in UTC, from the name of its file. */
function startOf(name: string): string {
  const [, hour, minute, second] = NAME.exec(name)!;
  return `${hour}:${minute}:${second}`;
}

/** Writes `index.html` into the folder: the trend over all its result files. @returns the path of the page */
export async function writeTrendPage(folder: string, atLeast: number): Promise<string> {
  const runs: NightlyRun[] = [];
  for (const name of await namesOf(folder)) {
    runs.push({ at: startOf(name), results: (await readResults(join(folder, name)))! });
  }
  const path = join(folder, 'index.html');
  await writeFile(path, renderTrendPage(runs, atLeast));
  return path;
}

/** Returns the names of the result files, oldest first. Other files of the folder are left alone. */
async function namesOf(folder: string): Promise<string[]> {
  const names = await withFolderErrors(folder, () => readdir(folder));
  return names.filter((name) => NAME.test(name)).sort();
}

async function withFolderErrors<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const message = `The folder ${folder} cannot be used: ${errorMessage(error)}`;
    throw new CliError(EXIT.USAGE, 'FOLDER_UNUSABLE', message, 'Give a folder that may be written.');
  }
}
