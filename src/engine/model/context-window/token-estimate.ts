import { oncePer } from '../../../common/once-per.ts';

/** The parts of a message that count towards its length. Messages are immutable. */
export interface FittingMessage {
  role: 'SYSTEM' | 'USER' | 'ASSISTANT' | 'TOOL';
  content: string;
  toolCalls?: readonly { name: string; arguments: string }[] | undefined;
  toolName?: string | undefined;
  /** The provider's opaque copy of the answer, with its text and the thoughts before it. */
  providerTurn?: Uint8Array | undefined;
}

/** Returns the weight of a message. Cached, because every call weighs the whole conversation. */
export const weightOfMessage = oncePer(
  ({ content, toolCalls = [], providerTurn }: FittingMessage): number => {
    const calls = toolCalls.reduce((sum, call) => sum + weightOf(call.name) + weightOf(call.arguments), 0);
    return Math.max(weightOf(content) + calls, providerTurn?.length ?? 0);
  },
);

const weightOfTool = oncePer((tool: object) => weightOf(`${JSON.stringify(tool)},`));

export function weightOfTools(tools: readonly object[]): number {
  return tools.reduce((sum, tool) => sum + weightOfTool(tool), 0);
}

/**
 * Estimates how much of a model's window a text takes, in thirds of a token: at least the count of today's tokenizers,
 * and about twice it at most. Tokenizers need less than a token for three letters of a word, one for each digit, sign,
 * and change between letters and digits, and one or two for each character of other scripts.
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

/** Lookup tables for speed: the kind of each ASCII character, and its weight after each kind. */
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

/** Returns the weight of a non-ASCII unit: 3 in alphabets, 4 in East Asian scripts, 6 in scripts split into bytes. */
function weightOfFar(code: number): number {
  if (code < 0x800) return 3;
  return code >= 0x3000 && code < 0xd800 ? 4 : 6;
}
