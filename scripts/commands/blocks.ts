/** A fenced block of a page. */
export interface Block {
  /** Line of the opening fence, counted from 1. */
  readonly line: number;
  /** First word behind the fence, such as `sh`; '' if there is none. */
  readonly language: string;
  /** File name or other text behind the language; '' if there is none. */
  readonly title: string;
  readonly text: string;
  /** Reason why the block is not run or not checked; `null` if it is. */
  readonly notRun: string | null;
  /** Time (s) after which the runner stops a block that stays open; `null` for a block that ends by itself. */
  readonly stopAfter: number | null;
  /** Configuration (YAML) that the block needs beside it to be valid; `null` if none. */
  readonly checkedWith: string | null;
}

/**
 * Matches a fence with the comment above it. `<!-- not run: needs a cluster -->` excludes a block, and
 * `<!-- stopped after 20 s -->` is for a command that stays open. `<!-- checked with: { auth: { mode: proxy } } -->` completes
 * a part of a configuration.
 */
const FENCE =
  /(?:^[ \t]*<!-- *(?<mark>[^\n]*?) *-->[ \t]*\n(?:[ \t]*\n)?)?^(?<indent>[ \t]*)```(?<info>[^\n]*)\n(?<text>[\s\S]*?)^\k<indent>```[ \t]*$/gm;

/** Returns the fenced blocks of a page in their order. */
export function blocksOf(page: string): Block[] {
  return [...page.matchAll(FENCE)].map((match) => {
    const { mark = '', indent = '', info = '', text = '' } = match.groups!;
    const [language = '', ...title] = info.trim().split(/\s+/);
    const fenceAt = match.index + match[0].indexOf('```');
    const seconds = /^stopped after (\d+) s$/.exec(mark)?.[1];
    return {
      line: page.slice(0, fenceAt).split('\n').length,
      language,
      title: title.join(' '),
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      notRun: /^not run: *(\S.*)$/.exec(mark)?.[1] ?? null,
      checkedWith: /^checked with: *(\S.*)$/.exec(mark)?.[1] ?? null,
      stopAfter: seconds === undefined ? null : Number(seconds),
    };
  });
}

export const isCommand = ({ language }: Block): boolean => /^(?:sh|bash|shell|console)$/.test(language);

/** True if the block needs a started TARSy: it starts one, or asks one. */
export const needsServer = ({ text }: Block): boolean =>
  /\bnpm start\b|127\.0\.0\.1:8080|npm run (?:--silent )?(?:alert|approvals|export|token)\b|docs\/examples\//.test(
    text,
  );

/** True if the block starts TARSy itself. */
export const startsServer = ({ text }: Block): boolean => /\bnpm start\b/.test(text);
