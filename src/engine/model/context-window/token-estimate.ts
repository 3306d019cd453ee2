import { oncePer } from '../../../common/once-per.ts';

/** A message as far as its length goes; said once, it stays as it is. */
export interface FittingMessage {
  role: 'SYSTEM' | 'USER' | 'ASSISTANT' | 'TOOL';
  content: string;
  toolCalls?: readonly { name: string; arguments: string }[] | undefined;
  toolName?: string | undefined;
  /** What its provider wants back with it: it holds the answer once more, and the thoughts before it. */
  providerTurn?: Uint8Array | undefined;
}

/** Weighed once: a conversation is weighed anew at each of its calls. */
export const weightOfMessage = oncePer(
  ({ content, toolCalls = [], providerTurn }: FittingMessage): number => {
    const calls = toolCalls.reduce((sum, call) => sum + weightOf(call.name) + weightOf(call.arguments), 0);
    return Math.max(weightOf(content) + calls, providerTurn?.length ?? 0);
  },
);

const weightOfTool = oncePer((tool: object) => weightOf(`${JSON.stringify(tool)},`));

/** Of tools as they go with a request. */
export function weightOfTools(tools: readonly object[]): number {
  return tools.reduce((sum, tool) => sum + weightOfTool(tool), 0);
}

/**
 * How much of a model's window a text takes, in thirds of a token: a bound on the count of today's tokenizers, and at most
 * about twice it. Of words they need less than a token for each three letters, but one for each digit and sign, and for
 * each change between letters and digits; of other scripts one or two for each character.
 */
export function weightOf(text: string): number {
  let sum = 0;
  let before = SPACE;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < ASCII) {
      sum += WEIGHTS[before * ASCII + code]!;
      before = KIND_OF[code]!;
    } else {
      sum += weightOfFar(code);
      before = FAR;
    }
  }
  return sum;
}

const KINDS = ['lower', 'upper', 'digit', 'space', 'sign', 'control', 'far'] as const;
type Kind = (typeof KINDS)[number];
const SPACE = KINDS.indexOf('space');
const FAR = KINDS.indexOf('far');

/** What kind each sign of ASCII is of, and what it weighs after each kind: whole prompts are weighed, sign by sign. */
const ASCII = 0x80;
const SIGNS = Array.from({ length: ASCII }, (_, code) => kindOf(code));
const KIND_OF = Uint8Array.from(SIGNS, (kind) => KINDS.indexOf(kind));
const WEIGHTS = Uint8Array.from(KINDS.flatMap((before) => SIGNS.map((kind) => weightAfter(before, kind))));

function kindOf(code: number): Kind {
  if (code >= 0x61 && code <= 0x7a) return 'lower';
  if (code >= 0x41 && code <= 0x5a) return 'upper';
  if (code >= 0x30 && code <= 0x39) return 'digit';
  if (code === 0x20) return 'space';
  return code < 0x20 ? 'control' : 'sign';
}

function weightAfter(before: Kind, kind: Kind): number {
  if (before === 'digit' || kind === 'digit' || kind === 'control') return 3;
  if (kind === 'space') return 1;
  if (kind === 'lower') return before === 'lower' || before === 'upper' ? 1 : 2;
  return kind === 'upper' && before === 'lower' ? 3 : 2;
}

/** Alphabets, then ideographs and kana, then all that many tokenizers know by its bytes alone. */
function weightOfFar(code: number): number {
  if (code < 0x800) return 3;
  return code >= 0x3000 && code < 0xd800 ? 4 : 6;
}
