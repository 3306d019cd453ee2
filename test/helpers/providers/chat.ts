import { event, type Family, firstProblem, halves, type Json, signatureOf, TOOL_NAME } from './family.ts';

export const chunk = (delta: Json, finish_reason: string | null = null) =>
  event({
    ...{ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm' },
    choices: [{ index: 0, delta, finish_reason }],
  });
const usage = { prompt_tokens: 20, completion_tokens: 12, total_tokens: 32 };
export const end = (reason: string) =>
  `${chunk({}, reason)}${event({ id: 'c1', choices: [], usage })}data: [DONE]\n\n`;
const FIELDS = new Set(['role', 'content', 'reasoning_content', 'tool_calls', 'tool_call_id']);
/** Call ids in the form of Kimi's models. Other providers refuse such ids. */
const ownId = (turn: number) => `functions.tools__echo:${turn}`;
const thoughtOf = (turn: number) => signatureOf('chat', String(turn));

/**
 * Chat Completions as DeepSeek and Kimi serve them. A request without the reasoning of each earlier answer is
 * refused.
 */
export const chat: Family = {
  config: (url) => ({ type: 'openai', model: 'kimi-k2.6', base_url: `${url}/v1` }),
  failure: event({ error: { message: 'The engine is overloaded', type: 'engine_overloaded_error' } }),
  results: (body) => body.messages.filter(({ role }: Json) => role === 'tool').length,
  answer({ text, call, turn }) {
    const [half, rest] = halves(text);
    const begun =
      chunk({ role: 'assistant', content: '' }) +
      chunk({ reasoning_content: thoughtOf(turn) }) +
      chunk({ content: half });
    if (call === null) return { begun, textRest: chunk({ content: rest }), callBegun: '', rest: end('stop') };
    const [json, more] = halves(call.arguments);
    const own = {
      index: 0,
      id: ownId(turn),
      type: 'function',
      function: { name: call.name, arguments: json },
    };
    return {
      begun,
      textRest: chunk({ content: rest }),
      callBegun: chunk({ tool_calls: [own] }),
      rest: chunk({ tool_calls: [{ index: 0, function: { arguments: more } }] }) + end('tool_calls'),
    };
  },
  problem(body) {
    let open: string[] = [];
    const ids = new Set<string>();
    const message = (one: Json, at: number): string | null => {
      const odd = Object.keys(one).filter((key) => !FIELDS.has(key));
      if (odd.length > 0) return `messages[${at}]: unknown field ${odd}`;
      if (one.role === 'tool') {
        if (open.shift() !== one.tool_call_id) return `messages[${at}]: answers no call: ${one.tool_call_id}`;
        return null;
      }
      if (open.length > 0) return `messages[${at}]: tool_calls without answers: ${open}`;
      if (one.role !== 'assistant') return one.content ? null : `messages[${at}]: content is empty`;
      if (!one.reasoning_content) return `messages[${at}]: reasoning_content is missing`;
      const calls: Json[] = one.tool_calls ?? [];
      for (const {
        id,
        function: { name, arguments: json },
      } of calls) {
        if (ids.has(id)) return `messages[${at}]: the id ${id} is not unique`;
        if (!TOOL_NAME.test(name)) return `messages[${at}]: the name ${name}`;
        if (JSON.parse(json) === null) return `messages[${at}]: arguments`;
        const turn = /^functions\.tools__echo:(\d+)$/.exec(id)?.[1];
        if (turn !== undefined && one.reasoning_content !== thoughtOf(Number(turn)))
          return `messages[${at}]: reasoning_content is not the one that was given`;
        ids.add(id);
      }
      open = calls.map(({ id }) => id);
      return null;
    };
    return (
      firstProblem(body.messages, message) ?? (open.length > 0 ? 'the last calls have no answers' : null)
    );
  },
};
