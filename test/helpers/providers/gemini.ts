import { event, type Family, firstProblem, halves, type Json, signatureOf, TOOL_NAME } from './family.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const signature = (turn: number) => base64(signatureOf('gemini', String(turn)));
/** The placeholder that Gemini documents for a call whose signature is lost. */
const NO_SIGNATURE = base64('skip_thought_signature_validator');
const usageMetadata = {
  ...{ promptTokenCount: 20, candidatesTokenCount: 4, thoughtsTokenCount: 8, totalTokenCount: 32 },
};
const chunk = (parts: Json[], finishReason?: string) =>
  event({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason && { finishReason }) }],
    ...{ usageMetadata, modelVersion: 'gemini', responseId: 'r1' },
  });

/** Gemini, with a model that refuses calls without a signature. */
export const gemini: Family = {
  config: (url) => ({ type: 'google', model: 'gemini-3.7-flash', base_url: url }),
  failure: event({ error: { code: 503, status: 'UNAVAILABLE', message: 'The model is overloaded.' } }),
  results: (body) =>
    body.contents.flatMap(({ parts }: Json) => parts).filter((part: Json) => part.functionResponse).length,
  answer({ thought, text, call, turn }) {
    const [half, rest] = halves(text);
    const begun = chunk([{ text: thought, thought: true }]) + chunk([{ text: half }]);
    if (call === null)
      return { begun, textRest: chunk([{ text: rest }]), callBegun: '', rest: chunk([{ text: '' }], 'STOP') };
    const isReadable = call.arguments.endsWith('"}');
    if (!isReadable)
      return {
        begun,
        textRest: chunk([{ text: rest }]),
        callBegun: '',
        rest: chunk([], 'MALFORMED_FUNCTION_CALL'),
      };
    const functionCall = { name: call.name, args: JSON.parse(call.arguments) as unknown };
    return {
      begun,
      textRest: chunk([{ text: rest }]),
      // Gemini sends a call in one piece, and the end of the answer in the next one.
      callBegun: chunk([{ functionCall, thoughtSignature: signature(turn) }]),
      rest: chunk([], 'STOP'),
    };
  },
  problem(body) {
    let open: Json[] = [];
    const content = ({ role, parts }: Json, at: number): string | null => {
      if (!['user', 'model'].includes(role) || parts.length === 0) return `contents[${at}]: role or parts`;
      const answers = parts.flatMap((part: Json) => part.functionResponse ?? []);
      const calls = parts.filter((part: Json) => part.functionCall);
      if (answers.length !== open.length)
        return `contents[${at}]: function response parts must be as many as the function call parts before`;
      for (const [index, { name, id }] of answers.entries()) {
        const called = open[index].functionCall;
        if (called.name !== name || called.id !== id)
          return `contents[${at}]: answers ${name} ${id}, not ${called.name}`;
      }
      if (role === 'user' && calls.length > 0) return `contents[${at}]: a user calls nothing`;
      const known = [NO_SIGNATURE, ...Array.from({ length: 9 }, (_, turn) => signature(turn))];
      if (calls.length > 0 && !known.includes(calls[0].thoughtSignature))
        return `contents[${at}]: the first function call is missing a thought_signature of ours`;
      if (parts.some((part: Json) => part.thoughtSignature && !known.includes(part.thoughtSignature)))
        return `contents[${at}]: corrupted thought signature`;
      if (calls.some(({ functionCall }: Json) => !TOOL_NAME.test(functionCall.name)))
        return `contents[${at}]: name`;
      open = calls;
      return null;
    };
    if (body.contents[0]?.role !== 'user') return 'the first content is the user’s';
    return (
      firstProblem(body.contents, content) ?? (open.length > 0 ? 'the last calls have no answers' : null)
    );
  },
};
