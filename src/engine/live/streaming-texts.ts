/**
 * Pieces of one growing text go to subscribers at once while telling them takes at most this share of the time: to a few
 * it takes none.
 */
export const FEED_LIGHT_SHARE = 0.2;

/**
 * … or so much more rarely that telling them takes at most this share of the time: thousands of subscribers would else
 * leave no time for anything else, and all texts would come late.
 */
export const FEED_BUSY_SHARE = 0.75;

/** … but at least this often (ms): telling may have taken long because the machine stood still. */
export const FEED_MAX_WAIT_MS = 500;

/** Hands on a piece of a text; the pieces of one text tile it from where it was opened. */
export type PublishPiece = (timelineEventId: string, offset: number, delta: string) => void;

interface Text {
  /** Known so far, without gaps. */
  content: string;
  /** How much of it subscribers have been told. */
  told: number;
  toldAt: number;
  /** Milliseconds that telling the last piece took. */
  took: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * The texts of one session that are growing: what is known of each and what subscribers have been told of it.
 * @param options.coalesceMs milliseconds between two pieces of one text when telling takes its time: less where it is done
 * in no time (see FEED_LIGHT_SHARE), more where it takes long (see FEED_BUSY_SHARE). With 0 every piece goes for itself.
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
    /** A text begins, or is found growing; subscribers get `content` otherwise. */
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

    /** A piece came at this offset. Returns false when what lies before it is not known. */
    lay(id: string, offset: number, delta: string): boolean {
      const text = texts.get(id);
      if (text === undefined) return true; // complete already, or not a text
      const overlap = text.content.length - offset;
      if (overlap >= 0 && overlap < delta.length) grow(id, text, text.content + delta.slice(overlap));
      return overlap >= 0;
    },

    /** How much of the text is known; null when it is not growing. */
    lengthOf: (id: string): number | null => texts.get(id)?.content.length ?? null,

    /** The database has this as the text. */
    fill(id: string, content: string): void {
      const text = texts.get(id);
      if (text && content.length > text.content.length && content.startsWith(text.content)) {
        grow(id, text, content);
      }
    },

    /** The text is complete: tells its rest at once, unless it is not the text that subscribers saw growing. */
    close(id: string, content: string): void {
      const text = texts.get(id);
      if (text === undefined) return;
      text.content = content.startsWith(text.content.slice(0, text.told)) ? content : '';
      if (text.content === '') clearTimeout(text.timer);
      else tell(id, text);
      texts.delete(id);
    },

    /** Tells at once whatever waits, so that it comes before what is told next. */
    flush(): void {
      for (const [id, text] of texts) tell(id, text);
    },

    growing: (): string[] => [...texts.keys()],

    /** What subscribers have been told of each text: what one who joins now must be told first. */
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
