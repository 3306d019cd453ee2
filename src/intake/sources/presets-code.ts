import type { PresetMapping } from './generic.ts';

const REPOSITORY = '$.repository.full_name';

/** The workflow on a branch. A branch of a fork may have the same name, and the id of a workflow is unique. */
const WORKFLOW = [
  '{$.workflow_run.head_repository.full_name}/{$.workflow_run.workflow_id}/{$.workflow_run.head_branch}',
  '{$.repository.full_name}/{$.workflow_run.workflow_id}/{$.workflow_run.head_branch}',
];

/** GitHub Actions: a workflow that fails on a branch is one alert, until it succeeds there. */
const workflow: PresetMapping = {
  when: '$.workflow_run',
  title: [
    '{$.workflow_run.name} fails on {$.workflow_run.head_branch} of {$.workflow_run.head_repository.full_name}',
    '{$.workflow_run.name} fails on {$.workflow_run.head_branch} of {$.repository.full_name}',
  ],
  severity: 'error',
  state: ['$.workflow_run.conclusion', '$.action'],
  resolvedValues: ['success'],
  ignoredValues: ['requested', 'in_progress', 'action_required', 'cancelled', 'skipped', 'neutral', 'stale'],
  fingerprint: WORKFLOW,
  group: WORKFLOW,
  reportedAt: '$.workflow_run.updated_at',
  url: '$.workflow_run.html_url',
  labels: {
    repository: REPOSITORY,
    workflow: '$.workflow_run.name',
    branch: '$.workflow_run.head_branch',
    event: '$.workflow_run.event',
  },
  annotations: {
    commit: '$.workflow_run.head_sha',
    message: '$.workflow_run.head_commit.message',
    attempt: '$.workflow_run.run_attempt',
    conclusion: '$.workflow_run.conclusion',
  },
};

const deployment: PresetMapping = {
  when: '$.deployment_status',
  title: 'Deployment to {$.deployment.environment} of {$.repository.full_name} fails',
  severity: 'error',
  state: '$.deployment_status.state',
  resolvedValues: ['success', 'inactive'],
  ignoredValues: ['pending', 'queued', 'in_progress', 'waiting'],
  fingerprint: '{$.repository.full_name}/deployments/{$.deployment.environment}',
  reportedAt: '$.deployment_status.updated_at',
  url: ['$.deployment_status.log_url', '$.deployment_status.target_url'],
  labels: { repository: REPOSITORY, environment: '$.deployment.environment', branch: '$.deployment.ref' },
  annotations: { description: '$.deployment_status.description', commit: '$.deployment.sha' },
};

/** Alerts of Dependabot, code scanning and secret scanning: each has a number of its own in its repository. */
const security: PresetMapping = {
  when: '$.alert',
  title: [
    '{$.alert.security_advisory.summary} ({$.repository.full_name})',
    '{$.alert.rule.description} ({$.repository.full_name})',
    'Secret {$.alert.secret_type} in {$.repository.full_name}',
  ],
  severity: [
    '$.alert.security_advisory.severity',
    '$.alert.rule.security_severity_level',
    '$.alert.rule.severity',
    'high',
  ],
  state: '$.action',
  resolvedValues: ['fixed', 'resolved', 'dismissed', 'auto_dismissed', 'closed_by_user'],
  ignoredValues: ['assigned', 'unassigned', 'assignees_changed', 'appeared_in_branch'],
  fingerprint: '$.alert.html_url',
  reportedAt: '$.alert.updated_at',
  url: '$.alert.html_url',
  labels: { repository: REPOSITORY, package: '$.alert.dependency.package.name', tool: '$.alert.tool.name' },
  annotations: { description: ['$.alert.security_advisory.description', '$.alert.rule.full_description'] },
};

/**
 * Jira sends an issue after every change. The category of the status tells if the work is done, and a deleted issue
 * keeps its status.
 */
const jira: PresetMapping = {
  when: '$.issue.key',
  title: ['$.issue.fields.summary', '$.issue.key'],
  severity: '$.issue.fields.priority.name',
  state: [
    '{$.webhookEvent} {$.issue.fields.status.statusCategory.key}',
    '$.webhookEvent',
    '$.issue.fields.status.statusCategory.key',
  ],
  resolvedValues: ['jira:issue_deleted*', '* done', 'done'],
  fingerprint: '$.issue.key',
  object: '$.issue.key',
  reportedAt: '$.timestamp',
  // From the address of the REST API to that of the page: …/rest/api/2/issue/1 and five steps up.
  url: '{$.issue.self}/../../../../../browse/{$.issue.key}',
  labels: {
    issue: '$.issue.key',
    project: '$.issue.fields.project.key',
    type: '$.issue.fields.issuetype.name',
    labels: '$.issue.fields.labels',
    status: '$.issue.fields.status.name',
  },
  annotations: { description: '$.issue.fields.description', reporter: '$.issue.fields.reporter.displayName' },
};

/** GlitchTip sends attachments in Slack's format: one for each issue, or one for a site that GlitchTip monitors. */
const glitchtip: PresetMapping = {
  alerts: '$.attachments[*]',
  title: ['$.title', '$.text'],
  severity: 'error',
  state: '$.text',
  resolvedValues: ['*back up*'],
  fingerprint: ['$.title_link', '$.title'],
  url: '$.title_link',
};

export const CODE_PRESETS = {
  github: [workflow, deployment, security],
  jira: [jira],
  glitchtip: [glitchtip],
} as const;
