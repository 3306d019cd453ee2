export interface ServerSentEvent {
  id: string | null;
  event: string;
  data: string;
}

/** Yields the events of a response as they arrive, without comments. */
export async function* readEvents(response: Response): AsyncGenerator<ServerSentEvent> {
  let text = '';
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    text += part;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      const field = (name: string) => new RegExp(`^${name}:[ ]?(.*)$`, 'm').exec(block)?.[1] ?? null;
      const event = field('event');
      if (event !== null) yield { id: field('id'), event, data: field('data') ?? '' };
    }
  }
}
