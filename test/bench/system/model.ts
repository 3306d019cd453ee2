import { type Step, startScriptedLlm, toolCall } from '../../helpers/scripted-llm/index.ts';
import { stampedPiece } from '../fanout/protocol.ts';
import { OPTIONS, PIECE_LENGTH, TURN_PIECES } from './options.ts';

/** The scripted model in a process of its own. Each session writes text and calls tools until the time is over. */

const llm = await startScriptedLlm();
let until = Number.POSITIVE_INFINITY;
process.once('disconnect', () => process.exit()); // the bench has ended
process.on('message', (message: { until: number }) => {
  until = message.until;
});

llm.otherwise((request) => {
  if (request.tools.length === 0) return { text: 'In short: it held.' };
  if (Date.now() >= until) return { text: 'Done.' };
  return [...turn(), toolCall('tools.echo', { text: 'x' })];
});

/** Returns the steps of one turn. A getter stamps each piece when it is sent. */
function turn(): Step[] {
  return Array.from({ length: TURN_PIECES }, (): Step[] => [
    {
      get text() {
        return Date.now() < until ? stampedPiece(PIECE_LENGTH) : '.';
      },
    },
    { waitMs: OPTIONS.pieceMs },
  ]).flat();
}

process.send!({ address: llm.address });
