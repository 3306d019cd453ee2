/** Meanings of the labels of metrics, as Markdown. Every metric of this process uses only these labels. */
export const LABELS = {
  action: 'Action of a review, such as `claim` or `complete`',
  alert_type: 'Type of the alert',
  budget: 'Name of the budget',
  commit: 'First 12 digits of the commit',
  direction: 'Kind of the tokens: `input`, `output` or `thinking`',
  error_code: '[Code](llm-errors.md) of the failure',
  from: 'Provider that was unavailable',
  kind: 'Kind of the notification channel, such as `email`',
  method: 'HTTP method',
  model: 'Name of the model at its provider',
  name: 'Name of the GraphQL operation, or `anonymous`',
  of: 'Budgets: key of the counted usage, such as a team. Reports: `investigation` or `answer`',
  outcome: 'Result, in lower case, such as `completed`, `failed` or `ok`',
  path: 'Path of the request; files and pages count together as `/assets/*` and `/*`',
  provider: 'Name of the LLM provider',
  rating: 'Rating of a review, or `none`',
  reason:
    'Reason of the wait, the fallback or the early conclusion, such as `SLOT`, `refused` or `time_budget`',
  rule: 'Intake rule of the canary; empty for the alert of TARSy itself',
  server: 'Name of the MCP server',
  source: 'Source of the alerts',
  status: 'Status of the session or of the claim, in lower case',
  status_code: 'HTTP status of the answer',
  to: 'Provider that took over',
  tool: 'Server and name of the tool, or `other` after 300 tools',
  type: 'Kind of the operation: `query`, `mutation` or `subscription`',
  verdict: 'Verdict of the report, or `none`',
  version: 'Version of TARSy',
} as const;

export type LabelName = keyof typeof LABELS;
