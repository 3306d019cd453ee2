import { z } from 'zod';
import { uuidOf } from '../../../schema/ids.ts';
import { type Refusable, succeeded } from '../run-operation.ts';
import { defineTool } from '../tool.ts';
import { nextOf, pageInput, sessionUrl } from './shared.ts';

interface Submitted extends Refusable {
  session?: { id: string; status: string };
  notes?: string[];
}

export const submitAlert = defineTool({
  name: 'submit_alert',
  title: 'Investigate an alert',
  description:
    'Starts an investigation of an alert, or of any text that describes a problem. Returns its id at once; follow it with ' +
    'get_investigation and wait_seconds. A repeated call with the same idempotency_key returns the same investigation.',
  input: z.object({
    text: z.string().min(1).describe('The alert: text, JSON, or a question about a problem.'),
    alert_type: z.string().optional().describe('A configured alert type. Omit it for the default.'),
    severity: z.enum(['CRITICAL', 'WARNING', 'INFO']).optional(),
    runbook_url: z.string().optional(),
    team: z.string().optional().describe('Team that the investigation belongs to.'),
    idempotency_key: z.string().optional(),
  }),
  readOnly: false,
  async call({ text, alert_type, runbook_url, idempotency_key, severity, team }, { run, dashboardUrl }) {
    const given = {
      ...{ alertType: alert_type, runbookUrl: runbook_url, idempotencyKey: idempotency_key, severity, team },
    };
    const { submitAlert: result } = await run<{ submitAlert: Submitted }>(
      `mutation McpSubmitAlert($input: SubmitAlertInput!) { submitAlert(input: $input) {
         ... on SubmitAlertSuccess { session { id status } notes } ... on Error { code message } } }`,
      { input: { data: text, ...given } },
    );
    const { session, notes } = succeeded(result);
    const id = uuidOf(session!.id);
    return { id, status: session!.status, url: sessionUrl(dashboardUrl, id), notes };
  },
});

interface Groups {
  alertGroups: {
    totalCount: number;
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
    nodes: { id: string; sessions: { id: string; status: string }[] }[];
  };
}

export const listAlertGroups = defineTool({
  name: 'list_alert_groups',
  title: 'List alert groups',
  description:
    'Lists groups of alerts that senders reported, the newest first: whether they fire, how severe they are, and their investigations.',
  input: z.object({
    state: z.enum(['FIRING', 'RESOLVED']).optional(),
    severity: z.array(z.enum(['CRITICAL', 'WARNING', 'INFO'])).optional(),
    search: z.string().optional().describe('Part of the title or of a label.'),
    ...pageInput,
  }),
  readOnly: true,
  async call({ first, after, ...filter }, { run, dashboardUrl }) {
    const { alertGroups } = await run<Groups>(
      `query McpAlertGroups($first: Int, $after: String, $filter: AlertGroupFilter) {
         alertGroups(first: $first, after: $after, filter: $filter) { totalCount pageInfo { hasNextPage endCursor }
           nodes { id title severity state source alertType team alertCount firingCount openedAt resolvedAt lastReceivedAt
             sessions { id status report { verdict headline } } } } }`,
      { first, after, filter },
    );
    const groups = alertGroups.nodes.map((group) => ({
      ...group,
      id: uuidOf(group.id),
      sessions: group.sessions.map((session) => {
        const id = uuidOf(session.id);
        return { ...session, id, url: sessionUrl(dashboardUrl, id) };
      }),
    }));
    return { total: alertGroups.totalCount, groups, next: nextOf(alertGroups.pageInfo) };
  },
});
