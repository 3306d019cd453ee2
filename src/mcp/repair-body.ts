/** Converts a parsed message of a body to a form that the SDK accepts. */
export type Repair = (message: unknown) => unknown;

/** Returns a JSON body with its message or batch repaired. A body that is not JSON stays as it is. */
export function repairJson(repair: Repair): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let text = '';
  return new TransformStream({
    transform(chunk) {
      text += decoder.decode(chunk, { stream: true });
    },
    flush(controller) {
      text += decoder.decode();
      const messages = repaired(text, repair);
      controller.enqueue(encode(messages === null ? text : asJson(messages)));
    },
  });
}

const END_OF_LINE = /\r\n|\n|\r/;

/** Returns an event stream with the messages of its events repaired. Other events stay as they are. */
export function repairEvents(repair: Repair): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let event: string[] = [];

  /** Returns an event's lines with its data replaced if it is a repairable message. */
  const finish = (): string[] => {
    const lines = event;
    event = [];
    const kind = lines.findLast((line) => line.startsWith('event:'));
    const data = lines.flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length)] : []));
    if (data.length === 0 || (kind !== undefined && kind.slice('event:'.length).trim() !== 'message'))
      return [...lines, ''];
    const others = lines.filter((line) => !line.startsWith('data:'));
    const messages = repaired(data.join('\n'), repair);
    if (messages === null) return [...lines, ''];
    // A batch becomes an event for each message, because the SDK reads no batches from events.
    return messages.flatMap((message) => [...others, `data: ${message}`, '']);
  };
  const take = (line: string): string[] => {
    if (line === '') return finish();
    // Comments pass at once, because they keep a connection alive.
    if (line.startsWith(':')) return [line];
    event.push(line);
    return [];
  };

  return new TransformStream({
    transform(chunk, controller) {
      parts.push(decoder.decode(chunk, { stream: true }));
      // Joins the parts only at the end of a line, so that a long line takes linear time.
      if (!/[\r\n]/.test(parts.at(-1)!)) return;
      const text = parts.join('');
      // A carriage return at the end may be the first half of CR LF.
      const end = text.endsWith('\r') ? text.length - 1 : text.length;
      const lines = text.slice(0, end).split(END_OF_LINE);
      parts = [(lines.pop() ?? '') + text.slice(end)];
      const out = lines.flatMap(take);
      if (out.length > 0) controller.enqueue(encode(`${out.join('\n')}\n`));
    },
    flush(controller) {
      const rest = parts.join('') + decoder.decode();
      const out = [...(rest === '' ? [] : rest.split(END_OF_LINE).flatMap(take)), ...event];
      if (out.length > 0) controller.enqueue(encode(out.join('\n')));
    },
  });
}

/** Returns the messages of a text, each as JSON; `null` if it is not JSON or nested too deeply. */
function repaired(text: string, repair: Repair): string[] | null {
  try {
    return [repair(JSON.parse(text))].flat().map((message) => JSON.stringify(message));
  } catch {
    return null;
  }
}

const asJson = (messages: readonly string[]) =>
  messages.length === 1 ? messages[0]! : `[${messages.join(',')}]`;
const encode = (text: string) => new TextEncoder().encode(text);
