import Box from '@mui/material/Box';
import { useMemo } from 'react';
import { Disclosure } from '../../components/disclosure.tsx';
import type { LlmHeadFragment, TraceMessageFragment } from '../../graphql/gen/documents.ts';
import { LlmDetailDocument } from '../../graphql/gen/lazy-documents.ts';
import { useQuery } from '../../graphql/use-query.ts';
import { formatCost, unpricedText } from '../../lib/cost.ts';
import { inlineValue } from '../../lib/data-text.ts';
import { formatAbsolute, formatCount } from '../../lib/format.ts';
import { parseJson } from '../../lib/parse-json.ts';
import { prettyJson } from '../../lib/pretty-json.ts';
import { useTimeZone } from '../../lib/time-zone.ts';
import { mono } from '../../theme.ts';
import { DetailPanel, Part } from './detail-panel.tsx';

/** Shows a model call: the conversation, the thinking, the response and the request. */
export function LlmDetail({ head }: { head: LlmHeadFragment }) {
  const zone = useTimeZone();
  const [{ data, error, fetching }, read] = useQuery({
    query: LlmDetailDocument,
    variables: { id: head.id },
  });
  const detail = data?.llmInteraction;
  const { inputTokens, outputTokens, thinkingTokens, cachedReadTokens, cacheWriteTokens } = head.tokenUsage;
  const cache = `${formatCount(cachedReadTokens)} cached, ${formatCount(cacheWriteTokens)} written to cache`;
  const facts = [
    `Ended ${formatAbsolute(head.createdAt, zone)}`,
    `${head.provider} · ${head.modelName}`,
    `${formatCount(inputTokens)} in (${cache}), ${formatCount(outputTokens)} out, ${formatCount(thinkingTokens)} thinking`,
    unpricedText(head.cost) ?? formatCost(head.cost),
  ];
  return (
    <DetailPanel
      errorMessage={head.errorMessage}
      loading={detail == null && fetching}
      error={detail == null ? error : undefined}
      retry={() => read({ requestPolicy: 'network-only' })}
      toJson={() => JSON.stringify({ ...head, ...detail }, null, 2)}
      facts={facts.join(' · ')}
    >
      <Conversation messages={detail?.conversation ?? []} />
      <Part title="Thinking" value={detail?.thinking} />
      <Part title="Response" value={detail?.response} />
      <Part title="Request" value={withoutMessages(detail?.request)} />
    </DetailPanel>
  );
}

/** Returns the request without messages, which the page shows as the conversation; `null` if nothing is left. */
function withoutMessages(request: unknown): unknown {
  if (typeof request !== 'object' || request === null) return request;
  const { messages: _, ...rest } = request as Record<string, unknown>;
  return Object.keys(rest).length === 0 ? null : rest;
}

function Conversation({ messages }: { messages: readonly TraceMessageFragment[] }) {
  if (messages.length === 0) return null;
  return (
    <Box sx={{ minWidth: 0 }}>
      <Box sx={{ mb: 0.5, fontSize: '0.75rem', color: 'text.secondary' }}>
        Conversation, {messages.length} messages
      </Box>
      <Box component="ol" sx={list}>
        {messages.map((message, index) => (
          <Message key={message.id} message={message} open={index === messages.length - 1} />
        ))}
      </Box>
    </Box>
  );
}

const colours = {
  SYSTEM: 'text.secondary',
  USER: 'status.stopped',
  ASSISTANT: 'primary.main',
  TOOL: 'status.late',
} as const;

function Message({ message, open }: { message: TraceMessageFragment; open: boolean }) {
  const { role, content, toolCalls, toolName } = message;
  const name = toolName === null ? role.toLowerCase() : `tool · ${toolName}`;
  const line = content.slice(0, 200).replace(/\s+/g, ' ').trim();
  const calls = toolCalls.map((call) => call.name).join(', ');
  return (
    <Box component="li" sx={item}>
      <Disclosure
        defaultOpen={open}
        summary={
          <>
            <Box component="span" sx={{ color: colours[role], fontWeight: 650, flex: 'none' }}>
              {name}
            </Box>
            <Box component="span" sx={preview}>
              {line === '' ? calls : line}
            </Box>
            <Box component="span" sx={{ color: 'text.secondary', flex: 'none' }}>
              {formatCount(content.length)} chars
            </Box>
          </>
        }
      >
        <Box sx={{ display: 'grid', gap: 1, minWidth: 0 }}>
          <Content title={`Message ${message.sequenceNumber}`} text={content} />
          {toolCalls.map((call) => (
            <Box key={call.id} sx={{ fontFamily: mono, fontSize: '0.75rem', overflowWrap: 'anywhere' }}>
              → {call.name}({inlineArguments(call.arguments)})
            </Box>
          ))}
        </Box>
      </Disclosure>
    </Box>
  );
}

/** Formats JSON in a text only when it is rendered, because a conversation may be long. */
function Content({ title, text }: { title: string; text: string }) {
  const pretty = useMemo(() => prettyJson(text).text, [text]);
  return <Part title={title} value={pretty} />;
}

function inlineArguments(json: string): string {
  try {
    return inlineValue(parseJson(json));
  } catch {
    return json;
  }
}

const list = {
  m: 0,
  p: 0,
  listStyle: 'none',
  border: '1px solid',
  borderColor: 'divider',
  borderRadius: 1,
} as const;
const item = {
  px: 1,
  py: 0.5,
  fontSize: '0.8125rem',
  minWidth: 0,
  '& + &': { borderTop: '1px solid', borderColor: 'divider' },
} as const;
const preview = {
  flex: 1,
  minWidth: 0,
  color: 'text.secondary',
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
} as const;
