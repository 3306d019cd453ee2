import { setTimeout as delay } from 'node:timers/promises';
import { startScriptedLlm, toolCall } from '../../helpers/scripted-llm/index.ts';

/** The scripted model in a process of its own, which a run can kill. Each session calls two tools and concludes. */

const TURNS = 3;

process.once('disconnect', () => process.exit()); // the run has ended
const port = Number(process.env.SOAK_MODEL_PORT || 0);
const llm = await open();

llm.otherwise((request) => {
  const said = request.messages.filter(({ role }) => role === 'assistant').length;
  const pieces = Array.from({ length: 8 }, (_, n) => `The disk of web-${said}-${n} is filling up. `);
  if (request.tools.length === 0 || said >= TURNS - 1) return { text: pieces };
  return [{ text: pieces }, { waitMs: 50 }, toolCall('tools.echo', { text: `turn ${said}` })];
});
process.send!({ address: llm.address });

/** Opens the port again that a killed predecessor had. */
async function open(): Promise<Awaited<ReturnType<typeof startScriptedLlm>>> {
  for (;;) {
    try {
      return await startScriptedLlm({ port });
    } catch (error) {
      if (port === 0) throw error;
      await delay(100);
    }
  }
}
