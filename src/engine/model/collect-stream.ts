import type { LlmChunk, UnofferedTool } from './chunks.ts';

type Chunk<K extends LlmChunk['kind']> = Omit<Extract<LlmChunk, { kind: K }>, 'kind'>;

export interface LlmResponse {
  text: string;
  thinking: string;
  toolCalls: Chunk<'toolCall'>[];
  /** Code that the provider ran, with its output. Either is empty if the provider sent only the other. */
  codeExecutions: Chunk<'codeExecution'>[];
  groundings: Chunk<'grounding'>[];
  unoffered: UnofferedTool[];
  /** The last usage of the stream, because repeated reports are cumulative; `null` if there was none. */
  usage: Chunk<'usage'> | null;
  /** Data that the provider expects back with the answer; `null` if none. */
  providerTurn: Uint8Array | null;
}

/**
 * Handlers of a stream's pieces. The next piece is read when the handler has finished. A handler that throws
 * ends the call.
 */
export interface StreamHandlers {
  onThinking?: (delta: string) => void | Promise<void>;
  onText?: (delta: string) => void | Promise<void>;
  /** Called when the provider reports that all text so far was thinking. */
  onTextWasThinking?: () => void | Promise<void>;
  /** Receives each piece of code that the provider ran, together with its result. */
  onCodeExecution?: (execution: Chunk<'codeExecution'>) => void | Promise<void>;
  onGrounding?: (grounding: Chunk<'grounding'>) => void | Promise<void>;
  onToolsLeftOut?: (tools: readonly UnofferedTool[]) => void | Promise<void>;
  onToolCall?: (call: Chunk<'toolCall'>) => void | Promise<void>;
  onUsage?: (usage: Chunk<'usage'>) => void | Promise<void>;
  onWaiting?: (waiting: Chunk<'waiting'>) => void | Promise<void>;
}

/** Reads a response to its end. @throws what the stream or a handler throws */
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
    else await addChunk(response, chunk, handlers); // text and thoughts may arrive between code and result
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
  } else if (chunk.kind === 'textWasThinking') {
    response.thinking += response.text;
    response.text = '';
    await handlers.onTextWasThinking?.();
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

/** Pairs code with its result, which arrives separately. Code without a result is passed on when none can follow. */
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
