export interface ConfigIssue {
  /** The path of the file, relative to the working directory if the file is below it. */
  readonly file: string;
  /** Line of the problem (1-based); 0 if the file or folder itself is the problem. */
  readonly line: number;
  /** Column of the problem (1-based); 0 if `line` is 0. */
  readonly column: number;
  /** The key path, such as `agent_chains.host.stages[0].name`; empty for the whole file. */
  readonly path: string;
  readonly message: string;
}

/** Thrown if the configuration files are invalid. `issues` are sorted by file and position. */
export class ConfigError extends Error {
  readonly code = 'CONFIG_INVALID';
  readonly issues: readonly ConfigIssue[];

  constructor(issues: readonly ConfigIssue[]) {
    const sorted = [...issues].sort(byPlace);
    const count = sorted.length === 1 ? '1 problem' : `${sorted.length} problems`;
    super([`The configuration has ${count}:`, ...sorted.map(formatIssue)].join('\n'));
    this.name = 'ConfigError';
    this.issues = sorted;
  }
}

export interface EnvironmentIssue {
  readonly key: string;
  /** The problem, described without any value that may be a secret. */
  readonly message: string;
}

/** Thrown if environment variables are invalid. */
export class EnvironmentError extends Error {
  readonly code = 'ENVIRONMENT_INVALID';
  readonly issues: readonly EnvironmentIssue[];

  constructor(issues: readonly EnvironmentIssue[]) {
    const lines = issues.map((issue) => `  ${issue.key}: ${issue.message}`);
    super(['The environment cannot be used:', ...lines].join('\n'));
    this.name = 'EnvironmentError';
    this.issues = issues;
  }
}

function formatIssue(issue: ConfigIssue): string {
  const place = issue.line === 0 ? issue.file : `${issue.file}:${issue.line}:${issue.column}`;
  return `  ${place}: ${issue.path === '' ? '' : `${issue.path}: `}${issue.message}`;
}

function byPlace(a: ConfigIssue, b: ConfigIssue): number {
  if (a.file !== b.file) return a.file < b.file ? 1 : -1; // descending: tarsy.yaml before llm-providers.yaml
  return a.line - b.line || a.column - b.column || (a.path < b.path ? -1 : 1);
}
