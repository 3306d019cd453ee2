/** Where an input stands: not begun, in a JSON object or array, behind its end; or it is no JSON. */
type Place = 'before' | 'inside' | 'behind' | 'other';

interface State {
  place: Place;
  fenced: boolean;
  depth: number;
  inString: boolean;
  escaped: boolean;
}

const FRESH: State = { place: 'before', fenced: false, depth: 0, inString: false, escaped: false };

/** Finds the end of an action's input while it arrives: behind the object's last bracket nothing belongs to it. */
export interface JsonEnd {
  /** Takes the next piece of the input. */
  take(piece: string): void;
  /** Where in the text that would come next the input has not begun yet, or has ended; -1 = nowhere. */
  outside(next: string): number;
}

export function createJsonEnd(): JsonEnd {
  let state = FRESH;
  return {
    take(piece) {
      state = advance(state, piece).state;
    },
    outside(next) {
      if (state.place === 'behind') return 0;
      const { state: then, end } = advance(state, next);
      if (end >= 0) return end;
      return then.place === 'before' || startsOutside(state, next) ? 0 : -1;
    },
  };
}

/** Nothing of the input has come, and what comes now is an observation, or may become one. */
function startsOutside({ place, fenced }: State, next: string): boolean {
  return place === 'before' && !fenced && /^\s*(?:Observation[ \t]?[:：]|O[a-z]{0,10}[ \t]?$)/.test(next);
}

/** @returns the state behind the piece, and where in it the input ended */
function advance(from: State, piece: string): { state: State; end: number } {
  const state = { ...from };
  if (state.place === 'behind' || state.place === 'other') return { state, end: -1 };
  for (let at = 0; at < piece.length; at++) {
    const character = piece[at] ?? '';
    if (state.place === 'before') state.place = begin(state, character);
    else if (state.inString) inString(state, character);
    else if (character === '"') state.inString = true;
    else if (character === '{' || character === '[') state.depth += 1;
    else if ((character === '}' || character === ']') && --state.depth === 0) {
      state.place = 'behind';
      return { state, end: at + 1 };
    }
    if (state.place === 'other') break;
  }
  return { state, end: -1 };
}

/** A fence with a language may stand before the object. */
function begin(state: State, character: string): Place {
  if (character === '{' || character === '[') {
    state.depth = 1;
    return 'inside';
  }
  if (character === '`') state.fenced = true;
  else if (!/\s/.test(character) && !(state.fenced && /\w/.test(character))) return 'other';
  return 'before';
}

function inString(state: State, character: string): void {
  if (state.escaped) state.escaped = false;
  else if (character === '\\') state.escaped = true;
  else if (character === '"') state.inString = false;
}
