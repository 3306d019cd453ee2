import { z } from 'zod';
import { OperationError } from '../run-operation.ts';
import { defineTool } from '../tool.ts';
import { investigationId } from './shared.ts';

/** Maximum length of a page of an output (UTF-16 code units). */
const PAGE_UNITS = 20_000;

interface Calls {
  session: { timeline: { id: string; sequenceNumber: number }[] } | null;
}

interface Output {
  node: {
    status: string;
    createdAt: string;
    metadata: { server_name?: string; tool_name?: string; arguments?: string } | null;
    output: { length: number; text: string } | null;
  };
}

export const getOutput = defineTool({
  name: 'get_output',
  title: 'Read a tool result',
  description:
    'Returns the result of a tool call of an investigation, such as the source T12 that a claim cites, in pages. Read it to check a ' +
    'claim yourself.',
  input: z.object({
    id: investigationId,
    source: z
      .string()
      .regex(/^T[1-9]\d{0,8}$/)
      .describe('Number of the call, such as T12.'),
    start: z.int().min(0).default(0).describe('Position (UTF-16 code units) to begin at.'),
  }),
  readOnly: true,
  async call({ id, source, start }, { run }) {
    const number = Number(source.slice(1));
    const { session } = await run<Calls>(
      `query McpCalls($id: ID!, $after: Int) { session(id: $id) {
         timeline(afterSequence: $after, types: [LLM_TOOL_CALL]) { id sequenceNumber } } }`,
      { id, after: number - 1 },
    );
    if (session === null) throw new OperationError('NOT_FOUND', 'There is no investigation with this id.');
    const call = session.timeline.find(({ sequenceNumber }) => sequenceNumber === number);
    if (call === undefined)
      throw new OperationError('NOT_FOUND', `The investigation has no tool call ${source}.`);
    const { node } = await run<Output>(
      `query McpOutput($id: ID!, $start: Int, $end: Int) { node(id: $id) { ... on TimelineEvent {
         status createdAt metadata output { length text(start: $start, end: $end) } } } }`,
      { id: call.id, start, end: start + PAGE_UNITS },
    );
    const { status, createdAt, metadata, output } = node;
    const text = output?.text ?? '';
    const end = start + text.length;
    return {
      ...{ source, server: metadata?.server_name, tool: metadata?.tool_name, arguments: metadata?.arguments },
      ...{ status, createdAt, length: output?.length ?? 0, start, text },
      next: end < (output?.length ?? 0) ? end : null,
    };
  },
});
