import type { LlmChunk, UnofferedTool } from './chunks.ts';

type Chunk<K extends LlmChunk['kind']> = Omit<Extract<LlmChunk, { kind: K }>, 'kind'>;

/** A complete response of a model. */
export interface LlmResponse {
  text: string;
  thinking: string;
  toolCalls: Chunk<'toolCall'>[];
  /** Code that the provider ran with what it printed; either may be empty when the provider sent only one. */
  codeExecutions: Chunk<'codeExecution'>[];
  groundings: Chunk<'grounding'>[];
  /** Tools that the model was not offered. */
  unoffered: UnofferedTool[];
  /** The last usage of the stream (providers that send several count up); null when none was sent. */
  usage: Chunk<'usage'> | null;
  /** What goes back with the answer in the next turn; null when the provider wants nothing. */
  providerTurn: Uint8Array | null;
}

/**
 * Told of each piece as it arrives. Each is awaited before the next piece is read, so a slow handler slows
 * the model's stream instead of filling memory. A handler that throws ends the call.
 */
export interface StreamHandlers {
  onThinking?: (delta: string) => void | Promise<void>;
  onText?: (delta: string) => void | Promise<void>;
  /** Called once for each execution, code and result together. */
  onCodeExecution?: (execution: Chunk<'codeExecution'>) => void | Promise<void>;
  onGrounding?: (grounding: Chunk<'grounding'>) => void | Promise<void>;
  onToolsLeftOut?: (tools: readonly UnofferedTool[]) => void | Promise<void>;
  onToolCall?: (call: Chunk<'toolCall'>) => void | Promise<void>;
  onUsage?: (usage: Chunk<'usage'>) => void | Promise<void>;
  onWaiting?: (waiting: Chunk<'waiting'>) => void | Promise<void>;
}

/** What arrives of an answer, also of one that breaks off: it costs like any other. */
export type Arrived = Pick<LlmResponse, 'text' | 'thinking' | 'usage'>;

/** Keeps what arrives. */
export function keepIn(arrived: Arrived): StreamHandlers {
  return {
    onText(delta) {
      arrived.text += delta;
    },
    onThinking(delta) {
      arrived.thinking += delta;
    },
    onUsage(usage) {
      arrived.usage = usage;
    },
  };
}

/**
 * Reads a response to its end.
 * @throws what the stream or a handler throws; what had arrived by then is what the handlers were told
 */
export async function collectStream(
  chunks: AsyncIterable<LlmChunk>,
  handlers: StreamHandlers = {},
): Promise<LlmResponse> {
  const response: LlmResponse = {
    text: '',
    thinking: '',
    toolCalls: [],
    codeExecutions: [],
    groundings: [],
    unoffered: [],
    usage: null,
    providerTurn: null,
  };
  const executions = pairExecutions(async (execution) => {
    response.codeExecutions.push(execution);
    await handlers.onCodeExecution?.(execution);
  });
  for await (const chunk of chunks) {
    if (chunk.kind === 'codeExecution') await executions.add(chunk);
    else await addChunk(response, chunk, handlers); // text and thoughts may come between code and result
  }
  await executions.flush();
  return response;
}

async function addChunk(
  response: LlmResponse,
  chunk: Exclude<LlmChunk, { kind: 'codeExecution' }>,
  handlers: StreamHandlers,
): Promise<void> {
  if (chunk.kind === 'text') {
    response.text += chunk.text;
    await handlers.onText?.(chunk.text);
  } else if (chunk.kind === 'thinking') {
    response.thinking += chunk.text;
    await handlers.onThinking?.(chunk.text);
  } else if (chunk.kind === 'toolCall') {
    const { kind: _, ...call } = chunk;
    response.toolCalls.push(call);
    await handlers.onToolCall?.(call);
  } else if (chunk.kind === 'toolsLeftOut') {
    response.unoffered.push(...chunk.tools);
    await handlers.onToolsLeftOut?.(chunk.tools);
  } else if (chunk.kind === 'grounding') {
    const { kind: _, ...grounding } = chunk;
    response.groundings.push(grounding);
    await handlers.onGrounding?.(grounding);
  } else if (chunk.kind === 'waiting') {
    const { kind: _, ...waiting } = chunk;
    await handlers.onWaiting?.(waiting);
  } else if (chunk.kind === 'providerTurn') {
    response.providerTurn = chunk.data;
  } else {
    const { kind: _, ...usage } = chunk;
    response.usage = usage;
    await handlers.onUsage?.(usage);
  }
}

/** Code and its result come apart: a pair is handed on when the result is there, or cannot come any more. */
function pairExecutions(onPair: (execution: Chunk<'codeExecution'>) => Promise<void>) {
  let openCode = '';
  const flush = async () => {
    if (openCode === '') return;
    const code = openCode;
    openCode = '';
    await onPair({ code, result: '' });
  };
  return {
    flush,
    async add({ code, result }: Chunk<'codeExecution'>) {
      if (code !== '') {
        await flush();
        openCode = code;
      }
      if (result === '') return;
      const execution = { code: openCode, result };
      openCode = '';
      await onPair(execution);
    },
  };
}
