import type { Attributes } from '@opentelemetry/api';
import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_SYSTEM_INSTRUCTIONS,
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
  ATTR_GEN_AI_TOOL_CALL_RESULT,
} from '@opentelemetry/semantic-conventions/incubating';
import { truncate } from '../common/truncate.ts';
import type { ModelCallEnd, ToolCallEnd, TracedMessage, TracedToolRequest } from '../engine/api/tracing.ts';
import { finishReason } from './span-attributes.ts';

/** Maximum length of one text on a span (UTF-16 code units), before the note about the cut. */
const TEXT_MAX_UNITS = 4_000;
/** Maximum length of an attribute (UTF-16 code units). Older messages are left out, because collectors limit requests. */
const ATTRIBUTE_MAX_UNITS = 32_000;

const WITHHELD = '[the text is withheld: masking it failed]';

/** Masks a text. @param server the MCP server whose arguments the text is; `null` for other texts */
export type MaskContent = (text: string, server: string | null) => string;

export type SpanContent = ReturnType<typeof createSpanContent>;

/**
 * Returns attributes with the content of calls: prompts, answers, arguments and results. Texts are masked before they are
 * cut, because half a secret would not be recognized.
 * @param mask removes secrets from a text; if it throws, the text is withheld
 */
export function createSpanContent(mask: MaskContent) {
  const shown = (text: string, server: string | null = null): string => {
    try {
      return truncate(mask(text, server), TEXT_MAX_UNITS);
    } catch {
      return WITHHELD;
    }
  };
  const textPart = (content: string) => ({ type: 'text', content: shown(content) });
  const callPart = (call: TracedToolRequest) => ({
    ...{ type: 'tool_call', id: call.id, name: shown(call.name) },
    arguments: shown(call.arguments, serverOf(call.name)),
  });
  const partsOf = ({ role, content, toolCalls = [], toolCallId }: TracedMessage) =>
    role === 'TOOL'
      ? [{ type: 'tool_call_response', id: toolCallId ?? null, response: shown(content) }]
      : [...(content === '' ? [] : [textPart(content)]), ...toolCalls.map(callPart)];

  /** Returns the newest messages that fit, and the number of older ones that are left out. */
  const conversation = (messages: readonly TracedMessage[]): Attributes => {
    const written = (message: TracedMessage) =>
      JSON.stringify({ role: message.role.toLowerCase(), parts: partsOf(message) });
    const kept = fitting(messages.toReversed().values().map(written)).reverse();
    const leftOut = messages.length - kept.length;
    return {
      [ATTR_GEN_AI_INPUT_MESSAGES]: `[${kept.join(',')}]`,
      ...(leftOut > 0 && { 'tarsy.llm.messages_left_out': leftOut }),
    };
  };

  return {
    modelCall(messages: readonly TracedMessage[], ended: ModelCallEnd): Attributes {
      const instructions = messages.filter(({ role }) => role === 'SYSTEM').map(({ content }) => content);
      const { text, toolCalls } = ended;
      const parts = fitting([
        ...(text === '' ? [] : [JSON.stringify(textPart(text))]),
        ...toolCalls.map((call) => JSON.stringify(callPart(call))),
      ]);
      const reason = JSON.stringify(finishReason(ended));
      const answer = `{"role":"assistant","parts":[${parts.join(',')}],"finish_reason":${reason}}`;
      return {
        ...conversation(messages.filter(({ role }) => role !== 'SYSTEM')),
        ...(instructions.length > 0 && {
          [ATTR_GEN_AI_SYSTEM_INSTRUCTIONS]: JSON.stringify(instructions.map((text) => textPart(text))),
        }),
        ...(parts.length > 0 && { [ATTR_GEN_AI_OUTPUT_MESSAGES]: `[${answer}]` }),
      };
    },
    toolCall({ server, arguments: args, result }: ToolCallEnd): Attributes {
      return {
        ...(args !== null && { [ATTR_GEN_AI_TOOL_CALL_ARGUMENTS]: shown(args, server) }),
        ...(result !== null && { [ATTR_GEN_AI_TOOL_CALL_RESULT]: shown(result) }),
      };
    },
  };
}

/** Returns the first texts whose total length an attribute may have. */
function fitting(texts: Iterable<string>): string[] {
  const kept: string[] = [];
  let units = 0;
  for (const text of texts) {
    units += text.length;
    if (units > ATTRIBUTE_MAX_UNITS) break;
    kept.push(text);
  }
  return kept;
}

/** Returns the server of a canonical tool name, `server.tool`. */
const serverOf = (tool: string) => tool.split('.', 1)[0] ?? null;

/** Content of a process that traces none. */
export const NO_CONTENT: SpanContent = { modelCall: () => ({}), toolCall: () => ({}) };
