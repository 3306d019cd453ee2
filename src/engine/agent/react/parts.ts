import type { HeaderStyle } from './headers.ts';
import { createJsonEnd } from './json-end.ts';
import { createRecovery } from './recovery.ts';
import { sectionText } from './section-text.ts';

/**
 * Where in a response we are. `draft`: after the final answer began, an action that counts only when its input
 * follows; until then it may be prose.
 */
export type SectionName = 'preamble' | 'thought' | 'action' | 'input' | 'final' | 'draft';

/** The sections that a response holds, whether or not they are of use. */
export interface FoundSections {
  thought: boolean;
  action: boolean;
  actionInput: boolean;
  finalAnswer: boolean;
}

/** What the sections of a response say. */
export interface Parts {
  /** The last thought that says something. */
  thought: string | null;
  /** The first final answer. */
  final: string | null;
  /** The last action, and its input where the two belong together; how the input's header was written. */
  action: string | null;
  input: { raw: string; style: HeaderStyle } | null;
  found: FoundSections;
}

/** Collects the sections of a response as they are read. */
export function createParts() {
  let current: SectionName = 'preamble';
  let style: HeaderStyle = { indent: 0, emphasis: '', exactCase: true };
  let pieces: string[] = [];
  let draftHeader = '';
  let thought = '';
  const final = { pieces: [] as string[], emphasis: '' };
  let action: string | null = null;
  let input: Parts['input'] = null;
  let jsonEnd = createJsonEnd();
  const recovery = createRecovery();
  const found = { thought: false, action: false, actionInput: false, finalAnswer: false };

  /** A new action has nothing to do with the input of the one before. */
  function beginAction(name: string): void {
    if (action !== null) input = null;
    action = name;
    found.action = true;
  }

  function leave(next: SectionName | null): void {
    const text = pieces.join('');
    pieces = [];
    if (current === 'thought') thought = sectionText(text, style.emphasis) || thought;
    else if (current === 'action') action = text;
    else if (current === 'input') input = { raw: text, style };
    else if (current === 'final') final.pieces.push(text);
    else if (current === 'draft' && next === 'input') beginAction(text);
    else if (current === 'draft') final.pieces.push(draftHeader, text);
  }

  return {
    current: () => current,
    style: () => style,
    hasFinal: () => found.finalAnswer,
    /** There is an action without an input. */
    awaitsInput: () => action !== null && input === null,
    /** Where in the next line the input has not begun yet, or has ended; -1 = nowhere. */
    outsideInput: (line: string) => jsonEnd(line),
    /** @param header the header as it was written, should it turn out to be text */
    start(next: SectionName, headerStyle: HeaderStyle, header: string): void {
      leave(next);
      current = next;
      style = headerStyle;
      draftHeader = header;
      if (next === 'thought') found.thought = true;
      else if (next === 'action') beginAction('');
      else if (next === 'final') {
        found.finalAnswer = true;
        final.emphasis = style.emphasis;
      } else if (next === 'input') {
        const recovered = recovery.name();
        if (action === null && recovered !== null) beginAction(recovered);
        found.actionInput = true;
        input = { raw: '', style };
        jsonEnd = createJsonEnd();
      }
    },
    add: (text: string): void => void pieces.push(text),
    /** A line of text is complete. */
    lineEnd(line: string): void {
      if (current === 'preamble' || current === 'thought') recovery.line(line);
    },
    end(): Parts {
      leave(null);
      return {
        thought: thought || null,
        final: sectionText(final.pieces.join(''), final.emphasis) || null,
        action,
        input,
        found,
      };
    },
  };
}
