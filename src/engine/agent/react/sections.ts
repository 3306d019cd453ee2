import { createCallParts } from './call-parts.ts';
import type { HeaderStyle } from './headers.ts';
import { createRecovery } from './recovery.ts';
import { createSectionText, type SectionText } from './section-text.ts';

/**
 * Where in a response we are. `draft`: after the final answer began, an action that counts only when its input
 * follows; until then it may be prose.
 */
export type SectionName = 'preamble' | 'thought' | 'action' | 'input' | 'final' | 'draft';

/** Text of a section that can be shown while the response arrives. */
export interface ShownText {
  section: 'thought' | 'final';
  text: string;
  /** Nothing will be added to this section. */
  isEnd: boolean;
}

/** The sections of a response as they are read. */
export type Sections = ReturnType<typeof createSections>;

export function createSections() {
  let current: SectionName = 'preamble';
  let style: HeaderStyle = { indent: 0, emphasis: '', exactCase: true };
  let thought: SectionText | null = null;
  let lastThought = '';
  let final: SectionText | null = null;
  const call = createCallParts();
  let draft: { parts: string[]; header: string } = { parts: [], header: '' };
  let shown: ShownText[] = [];
  const recovery = createRecovery();
  const seen = { thought: false, action: false, actionInput: false, finalAnswer: false };

  function show(section: 'thought' | 'final', text: string, isEnd = false): void {
    const last = shown.at(-1);
    if (last?.section === section && !last.isEnd) {
      last.text += text;
      last.isEnd = isEnd;
    } else if (text !== '' || isEnd) shown.push({ section, text, isEnd });
  }

  function leave(next: SectionName | null): void {
    if (current === 'thought' && thought) {
      show('thought', thought.end(), true);
      lastThought = thought.text() || lastThought;
    }
    const confirmed = current === 'draft' && next === 'input';
    if (current === 'draft' && !confirmed && final) {
      show('final', final.take([draft.header, ...draft.parts].join('')));
    }
    if (confirmed) beginAction(draft.parts);
    if (['final', 'draft'].includes(current) && next !== 'draft' && final) show('final', final.end(), true);
  }

  function beginAction(parts: string[]): void {
    call.beginAction(parts);
    seen.action = true;
  }

  const begin: Record<SectionName, (header: string) => void> = {
    preamble: () => {},
    thought() {
      seen.thought = true;
      thought = createSectionText(style.emphasis);
    },
    final() {
      seen.finalAnswer = true;
      final = createSectionText(style.emphasis);
    },
    draft(header) {
      draft = { parts: [], header };
    },
    action: () => beginAction([]),
    input() {
      const recovered = recovery.name();
      if (!call.hasAction() && recovered !== null) beginAction([recovered]);
      seen.actionInput = true;
      call.beginInput(style);
    },
  };

  return {
    current: () => current,
    style: () => style,
    seen: () => ({ ...seen }),
    awaitsInput: call.awaitsInput,
    outsideInput: call.outsideInput,
    /** @param header the header as it was written, should it turn out to be text */
    start(next: SectionName, headerStyle: HeaderStyle, header = ''): void {
      leave(next);
      current = next;
      style = headerStyle;
      begin[next](header);
    },
    add(piece: string): void {
      if (current === 'thought' && thought) show('thought', thought.take(piece));
      else if (current === 'final' && final) show('final', final.take(piece));
      else if (current === 'action') call.addToAction(piece);
      else if (current === 'draft') draft.parts.push(piece);
      else if (current === 'input') call.addToInput(piece);
    },
    /** A line of text is complete. @param line its end */
    lineEnd(line: string): void {
      if (current === 'preamble' || current === 'thought') recovery.line(line);
    },
    end(): void {
      leave(null);
      current = 'preamble';
    },
    takeShown(): ShownText[] {
      const taken = shown;
      shown = [];
      return taken;
    },
    thought: () => lastThought || null,
    final: () => final?.text() || null,
    action: call.action,
    input: call.input,
  };
}
