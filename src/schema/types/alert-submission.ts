import { teamOfSender } from '../../access/teams.ts';
import { isVisible } from '../../access/visibility.ts';
import {
  AlertTooLargeError,
  ShuttingDownError,
  TooManyAlertsError,
  ValidationError,
} from '../../common/errors.ts';
import type { McpSelectionValue } from '../../db/entities/index.ts';
import type { SubmitAlertInput as EngineInput, SubmittedAlert } from '../../engine/api/engine.ts';
import { AlertNotInvestigatedError } from '../../intake/errors.ts';
import { isPlainText } from '../../intake/submit.ts';
import { builder, objectType } from '../builder.ts';
import { enums } from '../enums.ts';
import { errorType, mutationResult, orDeclared } from './errors.ts';
import { IntakeDecisionRef, SessionRef } from './refs.ts';

const McpServerSelection = builder.inputType('McpServerSelection', {
  description: 'An MCP server that agents may use, and which of its tools.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Name in the configuration.' }),
    tools: t.stringList({ description: 'Null for all tools of the server; an empty list for none.' }),
  }),
});

const NativeToolsSelection = builder.inputType('NativeToolsSelection', {
  description:
    'Tools that the provider runs itself (Google only). Default: as configured. Tools that the configuration disables can be enabled only with `system.mcp_selection: replace`.',
  fields: (t) => ({
    googleSearch: t.boolean({ description: 'Searching the web with Google.' }),
    codeExecution: t.boolean({ description: 'Running code at Google.' }),
    urlContext: t.boolean({ description: 'Reading web pages that the conversation names.' }),
  }),
});

const McpSelectionInput = builder.inputType('McpSelectionInput', {
  description: 'The tools that the agents of one investigation may use.',
  fields: (t) => ({
    servers: t.field({
      type: [McpServerSelection],
      required: true,
      description: 'Each server at most once; an empty list means no tools.',
    }),
    nativeTools: t.field({ type: NativeToolsSelection, description: 'Null for the configured tools.' }),
  }),
});

const SubmitAlertInput = builder.inputType('SubmitAlertInput', {
  description: 'An alert and the options of its investigation.',
  fields: (t) => ({
    data: t.string({
      required: true,
      description: 'Any text, up to 1 MiB of UTF-8. NUL and halves of surrogate pairs become U+FFFD.',
    }),
    alertType: t.string({ description: 'Default: the configuration’s default alert type.' }),
    runbookUrl: t.string({
      description:
        'URL of the runbook: http or https, on an allowed host. Null for the general runbook of the configuration.',
    }),
    mcp: t.field({
      type: McpSelectionInput,
      description:
        'Null for the tools of the chain. Otherwise agents get only the chain’s tools that are named here; with `system.mcp_selection: replace` the named tools replace them.',
    }),
    team: t.string({
      description:
        'Team of the alert, one of your own. Default: your token’s team; without one, the matching rule’s team; without one, the chain’s team.',
    }),
    slackMessageFingerprint: t.string({
      description:
        'Text contained in the Slack message of the alert, at most 1,000 characters. Notifications go to the thread of that message.',
    }),
    idempotencyKey: t.string({
      description:
        'Submissions of one sender with the same key within 24 hours share one session; up to 512 characters.',
    }),
    dedupKey: t.string({
      description:
        'Submissions with the same key are one alert, investigated once like alerts of monitoring systems (docs/how-to/intake/submit-alerts.md); up to 512 characters.',
    }),
    severity: t.field({ type: enums.Severity, description: 'Severity. Default: UNKNOWN.' }),
    labels: t.field({
      type: 'JSON',
      description: 'Text by name, at most 200 entries; matched by rules and silences.',
    }),
  }),
});

errorType(
  AlertNotInvestigatedError,
  'The alert was accepted but is not investigated now; code ALERT_NOT_INVESTIGATED.',
  (t) => ({
    decision: t.field({
      type: IntakeDecisionRef,
      description: 'The decision and its reason.',
      resolve: ({ declared }) => declared.decision,
    }),
  }),
);

const SubmitAlertSuccess = objectType<SubmittedAlert>(
  'SubmitAlertSuccess',
  'The alert is stored durably.',
  (t) => ({
    session: t.field({
      type: SessionRef,
      description: 'The investigation, waiting or running.',
      resolve: (session) => session,
    }),
    notes: t.stringList({
      description: 'Changes that were needed to accept the alert, a sentence each; usually empty.',
      resolve: ({ notes }) => [...notes],
    }),
  }),
);

const SubmitAlert = mutationResult(
  'SubmitAlert',
  [ValidationError, AlertTooLargeError, ShuttingDownError, TooManyAlertsError, AlertNotInvestigatedError],
  SubmitAlertSuccess,
);

builder.mutationField('submitAlert', (t) =>
  t.field({
    type: SubmitAlert.type,
    description: 'Stores an alert and queues its investigation.',
    args: { input: t.arg({ type: SubmitAlertInput, required: true, description: 'The alert.' }) },
    resolve: (_root, { input }, { engine, intake, teams, viewer }) => {
      const submit = async () => {
        const alert = { ...alertOf(input), team: teamOfSender(viewer, input.team ?? null, teams) };
        const submission = { ...alert, ...keysOf(input) };
        return intake === null || isPlainText(submission)
          ? engine.submitAlert(alert, viewer)
          : intake.submit(submission, { ...viewer, sees: (team) => isVisible(viewer.teams, team) });
      };
      return orDeclared(submit(), SubmitAlert);
    },
  }),
);

function alertOf(input: typeof SubmitAlertInput.$inferInput): EngineInput {
  return {
    data: input.data,
    alertType: input.alertType ?? null,
    runbookUrl: input.runbookUrl ?? null,
    mcp: input.mcp ? selectionOf(input.mcp) : null,
    slackMessageFingerprint: input.slackMessageFingerprint ?? null,
  };
}

/** Returns the fields that intake uses to recognize repetitions and to match groups, rules and silences. */
function keysOf(input: typeof SubmitAlertInput.$inferInput) {
  return {
    idempotencyKey: input.idempotencyKey ?? null,
    dedupKey: input.dedupKey ?? null,
    severity: input.severity ?? null,
    labels: input.labels ?? null,
  };
}

function selectionOf({ servers, nativeTools }: typeof McpSelectionInput.$inferInput): McpSelectionValue {
  return {
    servers: servers.map(({ name, tools }) => ({ name, tools: tools ?? null })),
    nativeTools: nativeTools ? given(nativeTools) : null,
  };
}

function given(flags: Record<string, boolean | null | undefined>): Record<string, boolean> {
  return Object.fromEntries(
    Object.entries(flags).filter((entry): entry is [string, boolean] => entry[1] != null),
  );
}
