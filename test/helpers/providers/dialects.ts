import { chunk, end } from './chat.ts';
import { type Answer, type Family, firstProblem, halves, type Json, TOOL_NAME } from './family.ts';

/** A Chat Completions server with rules and forms of its own. */
interface Dialect {
  model: string;
  /** HTTP status of a refusal; default 400. */
  status?: number;
  /** Returns the refusal of a request in the server's own words, or `null`. */
  refusal(messages: readonly Json[], body: Json): string | null;
  id(turn: number): string;
  /** Returns the call in the form of this server's models; a string is a call that is written as text. */
  write?(
    call: { name: string; arguments: string },
    turn: number,
  ): { name: string; arguments: string } | string;
}

function compatible({ model, status, refusal, id, write }: Dialect): Family {
  return {
    config: (url) => ({ type: 'openai', model, base_url: `${url}/v1` }),
    ...(status !== undefined && { status }),
    failure: `data: {"error": {"message": "overloaded", "code": 503}}\n\n`,
    results: (body) => body.messages.filter(({ role }: Json) => role === 'tool').length,
    problem: (body) => refusal(body.messages, body) ?? disorder(body.messages),
    answer({ text, call, turn }: Answer) {
      const [half, rest] = halves(text);
      const begun = chunk({ role: 'assistant', content: '' }) + chunk({ content: half });
      const textRest = chunk({ content: rest });
      if (call === null) return { begun, textRest, callBegun: '', rest: end('stop') };
      const written = write?.(call, turn) ?? call;
      if (typeof written === 'string')
        return {
          begun,
          textRest: textRest + chunk({ content: `\n\n${written}` }),
          callBegun: '',
          rest: end('stop'),
        };
      const [json, more] = halves(written.arguments);
      const first = {
        index: 0,
        id: id(turn),
        type: 'function',
        function: { name: written.name, arguments: json },
      };
      return {
        begun,
        textRest,
        callBegun: chunk({ tool_calls: [first] }),
        rest: chunk({ tool_calls: [{ index: 0, function: { arguments: more } }] }) + end('tool_calls'),
      };
    },
  };
}

/** Returns the refusal that all servers share: calls without results, repeated ids, impossible names and arguments. */
function disorder(messages: readonly Json[]): string | null {
  let open: string[] = [];
  const ids = new Set<string>();
  const found = firstProblem(messages, (message: Json, at) => {
    if (message.role === 'tool')
      return open.shift() === message.tool_call_id ? null : `messages[${at}]: tool_call_id is not found`;
    if (open.length > 0) return `messages[${at}]: Not the same number of function calls and responses`;
    const calls: Json[] = message.tool_calls ?? [];
    open = calls.map((call) => call.id);
    return firstProblem(calls, (call) => {
      const { name, arguments: json } = call.function;
      if (ids.has(call.id)) return `messages[${at}]: the id ${call.id} is not unique`;
      ids.add(call.id);
      if (!TOOL_NAME.test(name))
        return `messages[${at}]: unexpected tokens remaining in message header: ${name}`;
      return isObject(json) ? null : `messages[${at}]: json: cannot unmarshal string into arguments: ${json}`;
    });
  });
  const last = messages.at(-1).role;
  if (last !== 'user' && last !== 'tool')
    return `Expected last role User or Tool (or Assistant with prefix True) for serving but got ${last}`;
  return found;
}

function isObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

const afterTool = (messages: readonly Json[]) =>
  messages.some(({ role }, at) => role === 'user' && messages[at - 1]?.role === 'tool');
const hasNull = (messages: readonly Json[]) => messages.some(({ content }) => content === null);
const calls = (messages: readonly Json[]): Json[] => messages.flatMap((message) => message.tool_calls ?? []);
const letters = 'abcdefghijkl';

const MISTRAL_FIELDS = new Set(['role', 'content', 'tool_calls', 'tool_call_id', 'name', 'prefix']);

const mistral = compatible({
  model: 'mistral-large-latest',
  id: (turn) => `mI5tra1x${letters[turn]}`,
  refusal(messages) {
    if (afterTool(messages)) return "Unexpected role 'user' after role 'tool'";
    const id = calls(messages).find((call) => !/^[a-zA-Z0-9]{9}$/.test(call.id))?.id;
    if (id) return `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`;
    const field = messages.flatMap(Object.keys).find((key) => !MISTRAL_FIELDS.has(key));
    return field ? `[{'type': 'extra_forbidden', 'loc': ['body', 'messages', '${field}']}]` : null;
  },
});

/** Serves a chat template without a system role. Roles must alternate, and contents must be text. */
const llamaCpp = compatible({
  model: 'gemma-3-27b',
  status: 500,
  id: (turn) => `${letters[turn]}`.repeat(32),
  refusal(messages) {
    if (messages[0].role === 'system') return 'Jinja Exception: System role not supported';
    const alternates = messages.every(({ role }, at) => {
      const before = messages[at - 1]?.role;
      if (role === 'user') return before === undefined || before === 'assistant';
      return role === 'assistant' ? before === 'user' || before === 'tool' : before !== 'user';
    });
    if (!alternates)
      return 'Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...';
    return hasNull(messages) ? 'can only concatenate str (not "NoneType") to str' : null;
  },
});

/** Leaks template tokens into tool names, and sometimes writes a call as text. */
const vllm = compatible({
  model: 'openai/gpt-oss-120b',
  id: (turn) => `chatcmpl-tool-${turn}`,
  refusal: (messages) =>
    afterTool(messages) ? 'Conversation roles must alternate user/assistant/user/assistant/...' : null,
  write: (call, turn) =>
    turn % 4 === 1
      ? `<|channel|>commentary to=functions.${call.name} <|constrain|>json<|message|>${call.arguments}<|call|>`
      : { ...call, name: `${call.name}<|channel|>commentary` },
});

const ollama = compatible({
  model: 'qwen3:32b',
  id: (turn) => `call_${letters[turn]}`,
  refusal: (messages) => (hasNull(messages) ? 'invalid message content type: <nil>' : null),
  write: (call, turn) =>
    turn % 4 === 2
      ? `<tool_call>\n{"name": "${call.name}", "arguments": ${call.arguments}}\n</tool_call>`
      : call,
});

/**
 * Claude on Bedrock behind LiteLLM: refuses calls in the history without declared tools, and begins arguments
 * with an empty object.
 */
const liteLlm = compatible({
  model: 'claude-on-bedrock',
  id: (turn) => `tooluse_${turn}`,
  refusal(messages, body) {
    if (calls(messages).length > 0 && !body.tools)
      return "litellm.UnsupportedParamsError: Bedrock doesn't support tool calling without `tools=` param specified. Pass `tools=` param OR set `litellm.modify_params = True`.";
    const at = messages.findIndex(({ content }) => content !== null && content.trim() === '');
    return at < 0 ? null : `The text field in the ContentBlock object at messages.${at}.content.0 is blank.`;
  },
  write: (call) => ({ ...call, arguments: `{}${call.arguments}` }),
});

/** Chat Completions servers by name. */
export const DIALECTS = { mistral, llamaCpp, vllm, ollama, liteLlm };
