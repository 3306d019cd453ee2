import { teamOfSender } from '../access/teams.ts';
import {
  AlertTooLargeError,
  ShuttingDownError,
  TooManyAlertsError,
  ValidationError,
} from '../common/errors.ts';
import type { McpSelectionValue } from '../db/entities/index.ts';
import type { SubmitAlertInput as EngineInput } from '../engine/api/engine.ts';
import { AlertNotInvestigatedError } from '../intake/errors.ts';
import { isPlainText } from '../intake/submit.ts';
import { builder } from '../schema/builder.ts';
import {
  type McpSelectionInput,
  SubmitAlertInput,
  SubmitAlertResult,
} from '../schema/types/alert-submission.ts';
import { orDeclared } from '../schema/types/errors.ts';

const DECLARED = [
  ValidationError,
  AlertTooLargeError,
  TooManyAlertsError,
  ShuttingDownError,
  AlertNotInvestigatedError,
];

builder.mutationField('submitAlert', (t) =>
  t.field({
    type: SubmitAlertResult,
    description: 'Stores an alert and queues its investigation.',
    args: { input: t.arg({ type: SubmitAlertInput, required: true, description: 'The alert.' }) },
    resolve: (_root, { input }, { engine, intake, teams, viewer }) => {
      const submit = async () => {
        const alert = { ...alertOf(input), team: teamOfSender(viewer, input.team ?? null, teams) };
        const submission = { ...alert, ...keysOf(input) };
        return intake === null || isPlainText(submission)
          ? engine.submitAlert(alert, viewer)
          : intake.submit(submission, viewer);
      };
      return orDeclared(submit(), DECLARED);
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

/** Returns the fields that make an alert take part in groups, rules and silences. */
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
