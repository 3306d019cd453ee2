import { type Family, firstProblem, halves, type Json, named, signatureOf, TOOL_NAME } from './family.ts';

const START = {
  type: 'message_start',
  message: {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', content: [] },
    ...{ stop_reason: null, stop_sequence: null, usage: { input_tokens: 20, output_tokens: 1 } },
  },
};
const begin = (index: number, content_block: Json) =>
  named({ type: 'content_block_start', index, content_block });
const delta = (index: number, body: Json) => named({ type: 'content_block_delta', index, delta: body });
const stop = (index: number) => named({ type: 'content_block_stop', index });
const end = (stop_reason: string) =>
  named({
    type: 'message_delta',
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: 12 },
  }) + named({ type: 'message_stop' });
const record = /Called \S+ with /g;

/**
 * The Messages API of a model that requires its thinking blocks back with each tool call, or of one that does
 * not.
 */
const messages = (model: string, needsThoughts: boolean): Family => ({
  config: (url) => ({ type: 'anthropic', model, base_url: url }),
  failure: named({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  results: (body) =>
    body.messages
      .flatMap(({ content }: Json) => content)
      .reduce((sum: number, part: Json) => {
        if (part.type === 'tool_result') return sum + 1;
        return sum + (part.type === 'text' ? (part.text.match(record)?.length ?? 0) : 0);
      }, 0),
  answer({ thought, text, call, turn }) {
    const [half, rest] = halves(text);
    const begun =
      named(START) +
      begin(0, { type: 'thinking', thinking: '', signature: '' }) +
      delta(0, { type: 'thinking_delta', thinking: thought }) +
      delta(0, { type: 'signature_delta', signature: signatureOf('anthropic', thought) }) +
      stop(0) +
      begin(1, { type: 'text', text: '' }) +
      delta(1, { type: 'text_delta', text: half });
    const textRest = delta(1, { type: 'text_delta', text: rest }) + stop(1);
    if (call === null) return { begun, textRest, callBegun: '', rest: end('end_turn') };
    const [json, more] = halves(call.arguments);
    const use = { type: 'tool_use', id: `toolu_${turn}`, name: call.name, input: {} };
    return {
      begun,
      textRest,
      callBegun: begin(2, use) + delta(2, { type: 'input_json_delta', partial_json: json }),
      rest: delta(2, { type: 'input_json_delta', partial_json: more }) + stop(2) + end('tool_use'),
    };
  },
  problem(body) {
    let expected = 'user';
    let open: string[] = [];
    const ids = new Set<string>();
    const message = ({ role, content }: Json, at: number): string | null => {
      if (role !== expected) return `messages.${at}: roles must alternate`;
      if (content.length === 0) return `messages.${at}: content is empty`;
      if (content.some((part: Json) => part.type === 'text' && part.text.trim() === ''))
        return `messages.${at}: text content blocks must be non-empty`;
      if (role === 'user') {
        const results = content.filter((part: Json) => part.type === 'tool_result');
        const leads = content.slice(0, results.length).every((part: Json) => part.type === 'tool_result');
        const answered = results.map((part: Json) => part.tool_use_id);
        if (!leads || answered.join() !== open.join())
          return `messages.${at}: tool_use ids without tool_result blocks: ${open} answered by ${answered}`;
        [open, expected] = [[], 'assistant'];
        return null;
      }
      const uses = content.filter((part: Json) => part.type === 'tool_use');
      for (const { id, name } of uses) {
        if (!/^[a-zA-Z0-9_-]+$/.test(id))
          return `messages.${at}: tool_use.id ${id} does not match the pattern`;
        if (ids.has(id)) return `messages.${at}: tool_use ids must be unique`;
        if (!TOOL_NAME.test(name)) return `messages.${at}: tool_use.name ${name}`;
        ids.add(id);
      }
      for (const part of content) {
        if (!['text', 'tool_use', 'thinking'].includes(part.type)) return `messages.${at}: ${part.type}`;
        if (part.type === 'thinking' && part.signature !== signatureOf('anthropic', part.thinking))
          return `messages.${at}: Invalid signature in thinking block`;
      }
      if (needsThoughts && uses.length > 0 && content[0].type !== 'thinking')
        return `messages.${at}: Expected thinking, but found ${content[0].type}`;
      [open, expected] = [uses.map((part: Json) => part.id), 'user'];
      return null;
    };
    const found = firstProblem(body.messages, message);
    return found ?? (expected === 'user' ? 'the conversation ends with an answer' : null);
  },
});

export const anthropic = messages('claude-sonnet-4-5', true);
export const adaptive = messages('claude-sonnet-5', false);
