import { type Family, firstProblem, halves, type Json, named, signatureOf, TOOL_NAME } from './family.ts';

const response = (status: string, more: Json = {}) => ({
  ...{ id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-5.2', status, output: [] },
  ...more,
});
const usage = {
  ...{ input_tokens: 20, output_tokens: 12, total_tokens: 32 },
  ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 8 } },
};
const item = (output_index: number, own: Json, state: 'added' | 'done') =>
  named({ type: `response.output_item.${state}`, output_index, item: own });
const completed = named({ type: 'response.completed', response: response('completed', { usage }) });

/**
 * The Responses API without stored reasoning. A request must return the encrypted reasoning of earlier
 * answers, each before the items that followed it.
 */
export const responses: Family = {
  config: (url) => ({ type: 'openai', model: 'gpt-5.2', base_url: `${url}/v1`, api: 'responses' }),
  failure: named({ type: 'error', code: 'server_error', message: 'The server had an error', param: null }),
  results: (body) => body.input.filter(({ type }: Json) => type === 'function_call_output').length,
  answer({ thought, text, call, turn }) {
    const [half, rest] = halves(text);
    const reasoning = { id: `rs_${turn}`, type: 'reasoning', summary: [] as Json[] };
    const summary = [{ type: 'summary_text', text: thought }];
    const message = {
      id: `msg_${turn}`,
      type: 'message',
      role: 'assistant',
      status: 'in_progress',
      content: [],
    };
    const where = { output_index: 1, item_id: message.id, content_index: 0 };
    const said = (delta: string) =>
      named({ type: 'response.output_text.delta', delta, logprobs: [], ...where });
    const begun =
      named({ type: 'response.created', response: response('in_progress') }) +
      item(0, reasoning, 'added') +
      named({
        ...{ type: 'response.reasoning_summary_text.delta', delta: thought },
        ...{ output_index: 0, item_id: reasoning.id, summary_index: 0 },
      }) +
      item(0, { ...reasoning, summary, encrypted_content: signatureOf('responses', reasoning.id) }, 'done') +
      item(1, message, 'added') +
      said(half);
    if (call === null) return { begun, textRest: said(rest), callBegun: '', rest: completed };
    const [json, more] = halves(call.arguments);
    const own = {
      id: `fc_${turn}`,
      type: 'function_call',
      call_id: `call_${turn}`,
      name: call.name,
      arguments: '',
    };
    const arguments_ = (delta: string) =>
      named({ type: 'response.function_call_arguments.delta', delta, output_index: 2, item_id: own.id });
    return {
      begun,
      textRest: said(rest),
      callBegun: item(2, own, 'added') + arguments_(json),
      rest: arguments_(more) + completed,
    };
  },
  problem(body) {
    let open: string[] = [];
    let reasoned = false;
    const called = new Set<string>();
    const one = (given: Json, at: number): string | null => {
      const { type, id } = given;
      if (id !== undefined && !/^(?:rs|msg|fc)_\d$/.test(id)) return `input[${at}]: Invalid id: ${id}`;
      if (type === 'function_call_output') {
        if (!open.includes(given.call_id)) return `input[${at}]: No tool call found for ${given.call_id}`;
        open = open.filter((other) => other !== given.call_id);
        return null;
      }
      if (open.length > 0 && type !== 'function_call')
        return `input[${at}]: No tool output found for ${open}`;
      const follows = reasoned;
      reasoned = type === 'reasoning';
      if (reasoned)
        return given.encrypted_content === signatureOf('responses', id)
          ? null
          : `input[${at}]: The encrypted content could not be verified`;
      if (type === 'function_call') {
        if (called.has(given.call_id)) return `input[${at}]: Duplicate call_id`;
        if (given.call_id.length > 64 || !TOOL_NAME.test(given.name)) return `input[${at}]: call_id or name`;
        called.add(given.call_id);
        open.push(given.call_id);
        return JSON.parse(given.arguments) === null ? `input[${at}]: arguments` : null;
      }
      if (type !== 'message') return `input[${at}]: ${type}`;
      return follows && given.role !== 'assistant'
        ? `input[${at}]: reasoning without its following item`
        : null;
    };
    const found = firstProblem(body.input, one);
    if (found !== null) return found;
    return reasoned || open.length > 0 ? 'the last item is without what must follow it' : null;
  },
};
