import { builder } from './builder.ts';
import { OrderDirection, SessionOrderField, SessionStatus } from './enums.ts';

export const SessionFilter = builder.inputType('SessionFilter', {
  description:
    'Every condition given must hold; a list holds when any of its values does, and is no condition when empty.',
  fields: (t) => ({
    status: t.field({ type: [SessionStatus] }),
    alertType: t.stringList(),
    chainId: t.stringList(),
    author: t.stringList(),
    search: t.string({
      description:
        'At least 3 characters, any case; looks in alert data, final analysis and timeline text. All words must be found, each anywhere, as parts of words or in another form; "words in quotes" must follow each other.',
    }),
    createdAfter: t.field({ type: 'DateTime', description: 'At or after this moment.' }),
    createdBefore: t.field({ type: 'DateTime', description: 'Before this moment.' }),
  }),
});

export const SessionOrder = builder.inputType('SessionOrder', {
  fields: (t) => ({
    field: t.field({ type: SessionOrderField, required: true }),
    direction: t.field({ type: OrderDirection, required: true }),
  }),
});

const McpServerSelection = builder.inputType('McpServerSelection', {
  fields: (t) => ({
    name: t.string({ required: true }),
    tools: t.stringList({ description: "Null or empty: all of that server's tools." }),
  }),
});

const NativeToolsSelection = builder.inputType('NativeToolsSelection', {
  fields: (t) => ({
    googleSearch: t.boolean(),
    codeExecution: t.boolean(),
    urlContext: t.boolean(),
  }),
});

export const McpSelectionInput = builder.inputType('McpSelectionInput', {
  fields: (t) => ({
    servers: t.field({ type: [McpServerSelection], required: true }),
    nativeTools: t.field({ type: NativeToolsSelection }),
  }),
});

export const SubmitAlertInput = builder.inputType('SubmitAlertInput', {
  fields: (t) => ({
    data: t.string({ required: true, description: 'Any text, up to 1 MiB of UTF-8.' }),
    alertType: t.string({ description: 'Default: the configuration’s default alert type.' }),
    runbookUrl: t.string(),
    mcp: t.field({ type: McpSelectionInput, description: "Replaces the chain's server list, never merges." }),
    slackMessageFingerprint: t.string(),
  }),
});

export const SendChatMessageInput = builder.inputType('SendChatMessageInput', {
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'Global id or UUID.' }),
    content: t.string({ required: true, description: '1 to 100,000 characters.' }),
  }),
});
