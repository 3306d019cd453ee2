import type { SubmittedAlert } from '../../engine/api/engine.ts';
import type { AlertNotInvestigatedError } from '../../intake/errors.ts';
import { builder } from '../builder.ts';
import { SeverityEnum } from '../enums.ts';
import {
  AlertTooLargeErrorRef,
  type Declared,
  ErrorInterface,
  ForbiddenErrorRef,
  resultTypeName,
  ShuttingDownErrorRef,
  TooManyAlertsErrorRef,
  ValidationErrorRef,
} from './errors.ts';
import { IntakeDecisionRef, SessionRef } from './refs.ts';

const McpServerSelection = builder.inputType('McpServerSelection', {
  description: 'An MCP server that agents may use, and which of its tools.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Its name in the configuration.' }),
    tools: t.stringList({ description: "Null: all of that server's tools; an empty list: none." }),
  }),
});

const NativeToolsSelection = builder.inputType('NativeToolsSelection', {
  description:
    'Tools that the provider runs itself (Google only). Not given: as the configuration says. What it leaves off can be switched on with `system.mcp_selection: replace` only.',
  fields: (t) => ({
    googleSearch: t.boolean({ description: 'Searching the web with Google.' }),
    codeExecution: t.boolean({ description: 'Running code at Google.' }),
    urlContext: t.boolean({ description: 'Reading web pages that the conversation names.' }),
  }),
});

export const McpSelectionInput = builder.inputType('McpSelectionInput', {
  description: 'The tools that the agents of one investigation may use.',
  fields: (t) => ({
    servers: t.field({
      type: [McpServerSelection],
      required: true,
      description: 'Each at most once; an empty list: no tools.',
    }),
    nativeTools: t.field({ type: NativeToolsSelection, description: 'Null: as the configuration says.' }),
  }),
});

export const SubmitAlertInput = builder.inputType('SubmitAlertInput', {
  description: 'An alert, and how it is to be investigated.',
  fields: (t) => ({
    data: t.string({
      required: true,
      description: 'Any text, up to 1 MiB of UTF-8. NUL and halves of surrogate pairs become U+FFFD.',
    }),
    alertType: t.string({ description: 'Default: the configuration’s default alert type.' }),
    runbookUrl: t.string({
      description:
        'Where its runbook is; http or https, on an allowed host. Null: the general runbook of the configuration.',
    }),
    mcp: t.field({
      type: McpSelectionInput,
      description:
        'Null: the tools of its chain. Of those agents get what is named here alone; with `system.mcp_selection: replace` what is named takes their place.',
    }),
    team: t.string({
      description:
        'Whose it is: one of your teams. Default: the team of the token, else of the rule that goes for it, else of its chain.',
    }),
    slackMessageFingerprint: t.string({
      description:
        'Text that the Slack message of the alert holds, at most 1,000 characters: what is told goes into its thread.',
    }),
    idempotencyKey: t.string({
      description:
        'Two submissions of one sender with one key within 24 hours are one session; up to 512 characters.',
    }),
    dedupKey: t.string({
      description:
        'Submissions with one key are one alert: it is investigated once, as those of monitoring systems are (docs/intake.md); up to 512 characters.',
    }),
    severity: t.field({ type: SeverityEnum, description: 'How bad it is; default: UNKNOWN.' }),
    labels: t.field({
      type: 'JSON',
      description: 'Text by name, at most 200: what rules and silences look at.',
    }),
  }),
});

export const AlertNotInvestigatedErrorRef = builder
  .objectRef<Declared<AlertNotInvestigatedError>>('AlertNotInvestigatedError')
  .implement({
    description:
      'The alert was taken, and it was decided not to investigate it now; code ALERT_NOT_INVESTIGATED.',
    interfaces: [ErrorInterface],
    fields: (t) => ({
      decision: t.field({
        type: IntakeDecisionRef,
        description: 'What was decided, and why.',
        resolve: ({ declared }) => declared.decision,
      }),
    }),
  });

// Plain unions: Success comes first, and every member is named here.
const SubmitAlertSuccess = builder.objectRef<SubmittedAlert>('SubmitAlertSuccess').implement({
  description: 'The alert is stored and cannot be lost any more.',
  fields: (t) => ({
    session: t.field({
      type: SessionRef,
      description: 'Its investigation, which waits or runs.',
      resolve: (session) => session,
    }),
    notes: t.stringList({
      description: 'What was changed in the alert so that it could be taken, a sentence each; mostly empty.',
      resolve: ({ notes }) => [...notes],
    }),
  }),
});

export const SubmitAlertResult = builder.unionType('SubmitAlertResult', {
  description: 'What became of a submitted alert.',
  types: [
    SubmitAlertSuccess,
    ValidationErrorRef,
    AlertTooLargeErrorRef,
    ShuttingDownErrorRef,
    TooManyAlertsErrorRef,
    AlertNotInvestigatedErrorRef,
    ForbiddenErrorRef,
  ],
  resolveType: (result) => resultTypeName(result, 'SubmitAlertSuccess'),
});
