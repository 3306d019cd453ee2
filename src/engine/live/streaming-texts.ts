/** Chunks are sent at once while notifying takes at most this share of the time, as it does for few subscribers. */
const FEED_LIGHT_SHARE = 0.2;

/**
 * Largest share of the time for notifying. Chunks are sent less often to stay below it, because thousands of
 * subscribers would otherwise delay everything else.
 */
const FEED_BUSY_SHARE = 0.75;

/** Longest wait between two chunks (ms). Notifying may have been slow because the machine stalled. */
const FEED_MAX_WAIT_MS = 500;

/** Sends a chunk. The chunks of a text tile it from where it was opened. */
export type PublishPiece = (timelineEventId: string, offset: number, delta: string) => void;

interface Text {
  /** The known beginning, without gaps. */
  content: string;
  /** Length that subscribers have received. */
  told: number;
  toldAt: number;
  /** Duration (ms) of sending the last chunk. */
  took: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * The streaming texts of one session: the known part of each and the part that subscribers have received.
 * @param options.coalesceMs usual time (ms) between two chunks of a text: less while notifying is cheap
 * (FEED_LIGHT_SHARE), more while it is expensive (FEED_BUSY_SHARE). 0 sends every chunk by itself.
 */
export function createStreamingTexts(options: { coalesceMs: number; emit: PublishPiece }) {
  const texts = new Map<string, Text>();

  function tell(id: string, text: Text): void {
    clearTimeout(text.timer);
    text.timer = undefined;
    if (text.told === text.content.length) return;
    const offset = text.told;
    text.told = text.content.length;
    text.toldAt = performance.now();
    options.emit(id, offset, text.content.slice(offset));
    text.took = performance.now() - text.toldAt;
  }

  function pauseAfter({ took }: Text): number {
    if (options.coalesceMs === 0) return 0;
    const all = took * texts.size;
    const busy = Math.min(all / FEED_BUSY_SHARE, took + FEED_MAX_WAIT_MS);
    return Math.max(Math.min(all / FEED_LIGHT_SHARE, options.coalesceMs), busy);
  }

  function grow(id: string, text: Text, content: string): void {
    text.content = content;
    if (text.timer !== undefined) return;
    const wait = text.toldAt + pauseAfter(text) - performance.now();
    if (wait <= 0) tell(id, text);
    else text.timer = setTimeout(tell, wait, id, text);
  }

  return {
    /** Opens a text that starts or is already streaming. Subscribers receive `content` by another way. */
    open(id: string, content: string): void {
      if (texts.has(id)) return;
      texts.set(id, {
        content,
        told: content.length,
        toldAt: Number.NEGATIVE_INFINITY,
        took: 0,
        timer: undefined,
      });
    },

    /** Adds a chunk at this offset. Returns false if the text before it is unknown. */
    lay(id: string, offset: number, delta: string): boolean {
      const text = texts.get(id);
      if (text === undefined) return true; // already complete, or not a text
      const overlap = text.content.length - offset;
      if (overlap >= 0 && overlap < delta.length) grow(id, text, text.content + delta.slice(overlap));
      return overlap >= 0;
    },

    /** Returns the known length of a text; `null` if it is not streaming. */
    lengthOf: (id: string): number | null => texts.get(id)?.content.length ?? null,

    /** Replaces the known text by the stored one. */
    fill(id: string, content: string): void {
      const text = texts.get(id);
      if (text && content.length > text.content.length && content.startsWith(text.content)) {
        grow(id, text, content);
      }
    },

    /** Completes a text: sends the rest at once, unless subscribers saw another text. */
    close(id: string, content: string): void {
      const text = texts.get(id);
      if (text === undefined) return;
      text.content = content.startsWith(text.content.slice(0, text.told)) ? content : '';
      if (text.content === '') clearTimeout(text.timer);
      else tell(id, text);
      texts.delete(id);
    },

    /** Sends all waiting chunks, so that they precede the next item. */
    flush(): void {
      for (const [id, text] of texts) tell(id, text);
    },

    growing: (): string[] => [...texts.keys()],

    /** Returns the received part of each text, which a new subscriber gets first. */
    told: (): { timelineEventId: string; text: string }[] =>
      [...texts].map(([timelineEventId, { content, told }]) => ({
        timelineEventId,
        text: content.slice(0, told),
      })),

    /** Stops the timers. */
    dispose(): void {
      for (const text of texts.values()) clearTimeout(text.timer);
      texts.clear();
    },
  };
}
