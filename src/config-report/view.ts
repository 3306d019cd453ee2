import { type DescribedVariable, describeEnvironment } from '../config/describe.ts';
import type { EnvironmentRecord } from '../config/env.ts';
import { ConfigError, EnvironmentError } from '../config/errors.ts';
import { loadConfig } from '../config/load.ts';
import type { Config, DescribedValue } from '../config/types.ts';
import type { Queryable } from '../db/queryable.ts';
import { comparable, type Difference, differences } from './compare.ts';
import { readWorkers, THIS_PROCESS } from './workers.ts';

export interface ConfigurationView {
  readonly process: string;
  readonly version: string;
  /** Files that were read; empty = built-ins only. */
  readonly files: readonly string[];
  readonly warnings: readonly string[];
  readonly values: readonly DescribedValue[];
  readonly environment: readonly DescribedVariable[];
  /** The files as they are now on disk, which take effect with the next start. */
  readonly onDisk: {
    /** Problems that prevent loading the files; empty = none. */
    readonly problems: readonly string[];
    /** `here` = this process; `there` = the files on disk. */
    readonly differences: readonly Difference[];
  };
  /** Running workers. In `differences`, `here` = this process and `there` = the worker. */
  readonly workers: readonly {
    readonly process: string;
    readonly version: string;
    readonly startedAt: Date;
    readonly differences: readonly Difference[];
  }[];
}

export interface ConfigurationDeps {
  config: Config;
  /** Configuration folder. */
  dir: string;
  env: EnvironmentRecord;
  version: string;
  db: Queryable;
  /** Masks secrets in a text, because operators may have written some into keys that are not for secrets. */
  mask: (text: string) => string;
}

/** Returns a function that reads the files and the workers' configurations again at each call. */
export function configurationView(deps: ConfigurationDeps): () => Promise<ConfigurationView> {
  const { config, dir, env, version, db } = deps;
  const masked = (value: unknown): unknown => {
    if (typeof value === 'string') return deps.mask(value);
    return Array.isArray(value) ? value.map(masked) : value;
  };
  const shown = (found: readonly Difference[]): Difference[] =>
    found.map(({ path, here, there }) => ({ path, here: masked(here), there: masked(there) }));
  let values: readonly DescribedValue[] | null = null;
  return async () => {
    values ??= config.describe(); // once, because it takes some milliseconds
    const own = comparable(values);
    const [onDisk, workers] = await Promise.all([readAgain({ dir, env }), readWorkers(db)]);
    return {
      process: THIS_PROCESS,
      version,
      files: config.files,
      warnings: config.warnings.map((text) => deps.mask(config.redact(text))),
      values: values.map((one) => ({ ...one, value: masked(one.value) })),
      environment: describeEnvironment(env),
      onDisk:
        'problems' in onDisk
          ? { problems: onDisk.problems.map((text) => deps.mask(config.redact(text))), differences: [] }
          : { problems: [], differences: shown(differences(own, comparable(onDisk.config.describe()))) },
      workers: workers.map(({ described, ...worker }) => ({
        ...worker,
        differences: shown(differences(own, described)),
      })),
    };
  };
}

async function readAgain(
  from: Pick<ConfigurationDeps, 'dir' | 'env'>,
): Promise<{ config: Config } | { problems: string[] }> {
  try {
    return { config: await loadConfig(from) };
  } catch (error) {
    if (!(error instanceof ConfigError) && !(error instanceof EnvironmentError)) throw error;
    return { problems: error.message.split('\n').slice(1) };
  }
}
