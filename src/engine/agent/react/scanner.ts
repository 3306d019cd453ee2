import { readLineStart } from './line-start.ts';
import { readLine } from './line-text.ts';
import type { Reading } from './reading.ts';
import { createSections, type Sections, type ShownText } from './sections.ts';

/** Reads a response in the ReAct format piece by piece. */
export interface Scanner {
  /** Takes the next piece; returns the text of thoughts and of the final answer that is certain now. */
  push(delta: string): ShownText[];
  /** The response is complete. */
  end(): ShownText[];
  readonly sections: Sections;
  /** Where in the text (line ends as \n) an invented observation begins, after which nothing is read; null = nowhere. */
  stoppedAt(): number | null;
  /** Characters looked at, those looked at again included: a measure of the work. */
  steps(): number;
}

/** Work and memory are linear in the text, and the outcome is the same however it is cut into pieces. */
export function createScanner(): Scanner {
  const reading: Reading = {
    sections: createSections(),
    text: '',
    isAll: false,
    isWaiting: false,
    atLineStart: true,
    back: '',
    lineEnd: null,
    isStopped: false,
    steps: 0,
  };
  let base = 0; // where reading.text begins in the response
  let heldReturn = ''; // a \r that a \n may follow

  function read(more: string): ShownText[] {
    if (reading.isStopped) return [];
    reading.text += more;
    reading.lineEnd = null;
    reading.isWaiting = false;
    let at = 0;
    while (at < reading.text.length && !reading.isWaiting && !reading.isStopped) {
      at = reading.atLineStart ? readLineStart(reading, at) : readLine(reading, at);
    }
    reading.text = reading.text.slice(at);
    base += at;
    if (reading.isAll || reading.isStopped) reading.sections.end();
    return reading.sections.takeShown();
  }

  return {
    push(delta) {
      const whole = heldReturn + delta;
      heldReturn = whole.endsWith('\r') ? '\r' : '';
      return read(whole.slice(0, whole.length - heldReturn.length).replaceAll('\r\n', '\n'));
    },
    end() {
      reading.isAll = true;
      return read(heldReturn);
    },
    sections: reading.sections,
    stoppedAt: () => (reading.isStopped ? base : null),
    steps: () => reading.steps,
  };
}
