import type { SessionEvent, SessionOutcome } from './contract.ts';
import { jsonLine, type Output } from './output.ts';
import { createRenderer } from './render.ts';
import type { Style } from './style.ts';

/** Shows a session on an output. */
export interface View {
  submitted(url: string): Promise<void>;
  event(event: SessionEvent): Promise<void>;
  outcome(outcome: SessionOutcome, ref: { sessionId: string; url: string; exitCode: number }): Promise<void>;
}

/** Creates a view with readable text. */
export function createTextView(out: Output, style: Style): View {
  let pending = '';
  const renderer = createRenderer((text) => {
    pending += text;
  }, style);
  const flush = async () => {
    const text = pending;
    pending = '';
    await out.write(text);
  };
  return {
    submitted: (url) => out.write(`${style.dim(`Alert accepted: ${url}`)}\n`),
    async event(event) {
      renderer.event(event);
      await flush();
    },
    async outcome(outcome, { url }) {
      renderer.outcome(outcome, url);
      await flush();
    },
  };
}

/** Creates a view for programs: each event as received, then one object of type SessionOutcome, one per line. */
export function createJsonView(out: Output): View {
  return {
    submitted: async () => {},
    event: (event) => out.write(jsonLine(event)),
    outcome: (outcome, ref) => out.write(jsonLine({ __typename: 'SessionOutcome', ...ref, ...outcome })),
  };
}
