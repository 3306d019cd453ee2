/** One thing that is wrong in a configuration file. */
export interface ConfigIssue {
  /** Path of the file, relative to the working directory when it is below it. */
  readonly file: string;
  /** From 1; 0 when the problem is the file or folder itself. */
  readonly line: number;
  /** From 1; 0 when `line` is. */
  readonly column: number;
  /** Where in the document, such as `agent_chains.host.stages[0].name`; empty for the whole file. */
  readonly path: string;
  readonly message: string;
}

/** The configuration cannot be used. `issues` is everything that is wrong, by file and place. */
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

/** One environment variable that is wrong. The value is never part of the message when it may be a secret. */
export interface EnvironmentIssue {
  readonly key: string;
  readonly message: string;
}

/** The environment cannot be used. `issues` is every variable that is wrong. */
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
  if (a.file !== b.file) return a.file < b.file ? 1 : -1; // tarsy.yaml before llm-providers.yaml
  return a.line - b.line || a.column - b.column || (a.path < b.path ? -1 : 1);
}
