import type { ToolExecutor } from '../../../mcp/types.ts';
import type { LlmChunk } from '../../model/chunks.ts';
import type { LlmClient } from '../../model/client.ts';
import type { Transcript } from '../../run-context/transcript.ts';

type Store = Pick<Transcript, 'store'>;

/** What an agent turns to, once all that it did before is stored: whoever goes on after a crash knows what was asked of whom. */
export const storedFirst = {
  client(client: LlmClient, transcript: Store): LlmClient {
    return {
      ...client,
      async *generate(...call): AsyncGenerator<LlmChunk> {
        await transcript.store();
        yield* client.generate(...call);
      },
    };
  },
  tools(tools: ToolExecutor, transcript: Store): ToolExecutor {
    return {
      ...tools,
      async listTools(signal) {
        await transcript.store();
        return tools.listTools(signal);
      },
      async execute(...call) {
        await transcript.store();
        return tools.execute(...call);
      },
    };
  },
};
