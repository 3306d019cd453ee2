import { builder } from './builder.ts';
import {
  OrderDirectionEnum,
  QualityRatingEnum,
  ReviewActionEnum,
  ReviewStatusEnum,
  SessionOrderFieldEnum,
  SessionStatusEnum,
  SeverityEnum,
  TokenScopeEnum,
  VerdictKindEnum,
} from './enums.ts';

export const SessionFilter = builder.inputType('SessionFilter', {
  description:
    'Every condition given must hold; a list holds when any of its values does, and is no condition when empty.',
  fields: (t) => ({
    status: t.field({ type: [SessionStatusEnum], description: 'Has one of these statuses.' }),
    alertType: t.stringList({ description: 'Has one of these alert types.' }),
    chainId: t.stringList({ description: 'Was investigated by one of these chains.' }),
    author: t.stringList({ description: 'Was submitted by one of these users.' }),
    verdict: t.field({ type: [VerdictKindEnum], description: 'Its report has one of these verdicts.' }),
    reviewStatus: t.field({
      type: [ReviewStatusEnum],
      description: 'Its review is that far; those that still run, and cancelled ones, have none.',
    }),
    rating: t.field({ type: [QualityRatingEnum], description: 'Was rated as one of these.' }),
    assignee: t.stringList({ description: 'Is, or was, reviewed by one of these.' }),
    severity: t.field({ type: [SeverityEnum], description: 'Has one of these severities.' }),
    groupId: t.id({
      description: 'Is about this group of alerts: its own investigations, and those of storms.',
    }),
    source: t.stringList({ description: 'Is about alerts of one of these sources, which are grouped.' }),
    team: t.stringList({ description: 'Is of one of these teams.' }),
    search: t.string({
      description:
        'At least 3 characters, any case; looks in alert data, final analysis and timeline text. All words must be found, each anywhere, as parts of words or in another form; "words in quotes" must follow each other.',
    }),
    createdAfter: t.field({ type: 'DateTime', description: 'At or after this moment.' }),
    createdBefore: t.field({ type: 'DateTime', description: 'Before this moment.' }),
  }),
});

export const SessionOrder = builder.inputType('SessionOrder', {
  description: 'The order of a list of sessions; those that are equal in it come by createdAt.',
  fields: (t) => ({
    field: t.field({ type: SessionOrderFieldEnum, required: true, description: 'What counts.' }),
    direction: t.field({ type: OrderDirectionEnum, required: true, description: 'Which end comes first.' }),
  }),
});

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

export const SendChatMessageInput = builder.inputType('SendChatMessageInput', {
  description: 'A question about an investigation that has ended.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'Global id or UUID of the session.' }),
    content: t.string({ required: true, description: '1 to 100,000 characters.' }),
  }),
});

export const CreateApiTokenInput = builder.inputType('CreateApiTokenInput', {
  description: 'A token for a program.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description:
        'What it is for; up to 100 characters. Tokens of one name are one sender, and those that hold are of one team.',
    }),
    scopes: t.field({ type: [TokenScopeEnum], required: true, description: 'What it may do; at least one.' }),
    team: t.string({
      description:
        'The team that it sees, besides what is of none, and whose the alerts are that are sent with it; `*`: it sees every team. Default: it sees what is of no team; with the scope ADMIN, or where no teams are configured, everything.',
    }),
    expiresAt: t.field({ type: 'DateTime', description: 'When it ends by itself. Default: never.' }),
  }),
});

export const ReviewSessionsInput = builder.inputType('ReviewSessionsInput', {
  description: 'What is done about the reviews of sessions.',
  fields: (t) => ({
    sessionIds: t.idList({ required: true, description: 'Global ids or UUIDs; at most 50.' }),
    action: t.field({ type: ReviewActionEnum, required: true, description: 'What is done.' }),
    rating: t.field({
      type: QualityRatingEnum,
      description: 'Needed to COMPLETE; with UPDATE_FEEDBACK null leaves it as it is.',
    }),
    actionTaken: t.string({
      description: 'What was done about the problem; up to 10,000 characters. Null leaves it as it is.',
    }),
    feedback: t.string({
      description: 'What was right or wrong; up to 10,000 characters. Null leaves it as it is.',
    }),
  }),
});
