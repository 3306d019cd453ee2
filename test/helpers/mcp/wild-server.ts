/** A fake MCP server over stdio in the mode that its argument names. */
import { createInterface } from 'node:readline';
import { answersOf, type RpcMessage, WILD_MODES } from './wild-answers.ts';

const mode = WILD_MODES[process.argv[2] ?? ''] ?? {};
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  for (const message of answersOf(mode, JSON.parse(line) as RpcMessage))
    process.stdout.write(`${JSON.stringify(message)}\n`);
});
