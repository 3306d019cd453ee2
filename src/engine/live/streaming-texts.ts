/** Shortest time between two pieces of a text (ms) that a worker publishes: one frame of a screen, which shows no more. */
export const PIECE_MS = 16;

/**
 * Usual wait of a feed between two pieces of a text (ms). Shorter than PIECE_MS, because a piece that arrives late would
 * delay all pieces after it.
 */
export const FEED_PIECE_MS = PIECE_MS / 2;

/**
 * Maximum share of the time that publishing takes. With thousands of subscribers, pieces are joined to stay
 * below.
 */
const FEED_BUSY_SHARE = 0.75;

/** Maximum extra wait between two pieces (ms), because a single slow publication may be an exception. */
const FEED_MAX_WAIT_MS = 500;

interface Text {
  /** The known beginning of the text, without gaps. */
  content: string;
  /** The published length (UTF-16 code units). */
  published: number;
  publishedAt: number;
  /** The duration of publishing the last piece (ms). */
  took: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Tracks the growing texts of one session: the known and the published part of each.
 * @param options.coalesceMs the usual wait between two pieces of a text (ms). Longer while publishing is expensive
 *   (FEED_BUSY_SHARE). 0 publishes every piece at once.
 * @param options.emit receives the pieces of a text, which follow each other without gap or overlap
 */
export function createStreamingTexts(options: {
  coalesceMs: number;
  emit: (timelineEventId: string, offset: number, delta: string) => void;
}) {
  const texts = new Map<string, Text>();

  function publish(id: string, text: Text): void {
    clearTimeout(text.timer);
    text.timer = undefined;
    if (text.published === text.content.length) return;
    const offset = text.published;
    text.published = text.content.length;
    text.publishedAt = performance.now();
    options.emit(id, offset, text.content.slice(offset));
    text.took = performance.now() - text.publishedAt;
  }

  function pauseAfter({ took }: Text): number {
    if (options.coalesceMs === 0) return 0;
    const all = took * texts.size;
    return Math.max(options.coalesceMs, Math.min(all / FEED_BUSY_SHARE, took + FEED_MAX_WAIT_MS));
  }

  function grow(id: string, text: Text, content: string): void {
    text.content = content;
    if (text.timer !== undefined) return;
    const wait = text.publishedAt + pauseAfter(text) - performance.now();
    if (wait <= 0) publish(id, text);
    else text.timer = setTimeout(publish, wait, id, text);
  }

  return {
    /** Starts to track a text. The caller sends `content` to subscribers itself. */
    open(id: string, content: string): void {
      texts.set(id, {
        content,
        published: content.length,
        publishedAt: Number.NEGATIVE_INFINITY,
        took: 0,
        timer: undefined,
      });
    },

    /** Adds a piece at an offset. Returns false if the text before it is not known. */
    addPiece(id: string, offset: number, delta: string): boolean {
      const text = texts.get(id);
      if (text === undefined) return true; // the text has ended, or is not tracked
      const overlap = text.content.length - offset;
      if (overlap >= 0 && overlap < delta.length) grow(id, text, text.content + delta.slice(overlap));
      return overlap >= 0;
    },

    knownLength: (id: string): number | undefined => texts.get(id)?.content.length,

    /** Extends the text to the content stored in the database. */
    setStored(id: string, content: string): void {
      const text = texts.get(id);
      if (text && content.length > text.content.length && content.startsWith(text.content)) {
        grow(id, text, content);
      }
    },

    /** Ends a text and publishes its rest, unless `content` does not continue the published part. */
    close(id: string, content: string): void {
      const text = texts.get(id);
      if (text === undefined) return;
      text.content = content.startsWith(text.content.slice(0, text.published)) ? content : '';
      if (text.content === '') clearTimeout(text.timer);
      else publish(id, text);
      texts.delete(id);
    },

    flush(): void {
      for (const [id, text] of texts) publish(id, text);
    },

    growing: (): string[] => [...texts.keys()],

    /** Returns the published part of each text, which a new subscriber must receive first. */
    published: (): { timelineEventId: string; text: string }[] =>
      [...texts].map(([timelineEventId, { content, published }]) => ({
        timelineEventId,
        text: content.slice(0, published),
      })),

    dispose(): void {
      for (const text of texts.values()) clearTimeout(text.timer);
      texts.clear();
    },
  };
}
