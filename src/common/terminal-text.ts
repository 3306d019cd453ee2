const ESC = String.raw`\u001b`;
const CSI = String.raw`\u009b`;
const BEL = String.raw`\u0007`;
const PARAMETERS = '[0-?]*[ -/]*';
/**
 * Patterns of escape sequences: colours and cursor moves; titles and links, which end with the line at the latest;
 * others.
 */
const SEQUENCES = [
  `(?:${ESC}\\[|${CSI})${PARAMETERS}[@-~]?`,
  `${ESC}[\\]PX^_][^${BEL}${ESC}\\n]*(?:${BEL}|${ESC}\\\\)?`,
  `${ESC}[ -/]*[0-OQ-WYZ\\x60-~]?`,
];
const SEQUENCE = new RegExp(SEQUENCES.join('|'), 'g');
/** Matches colour codes in the escaped form that they have inside JSON strings. */
const IN_JSON = new RegExp(String.raw`\\u00(?:1b\[|9b)${PARAMETERS}[@-~]`, 'gi');

/**
 * Returns terminal output as a reader sees it: without escape sequences, with the last state of a progress bar, and
 * without characters that a backspace erased.
 */
export function terminalText(text: string): string {
  let shown = text;
  if (shown.includes('\u001b') || shown.includes('\u009b')) shown = shown.replace(SEQUENCE, '');
  if (shown.includes('\\u00')) shown = shown.replace(IN_JSON, '');
  if (shown.includes('\r')) shown = shown.replaceAll('\r\n', '\n').split('\n').map(folded).join('\n');
  return shown.includes('\b') ? erased(shown) : shown;
}

/** Returns the states that carriage returns separate, one a line. Drops a state if the next one has the same words. */
function folded(line: string): string {
  if (!line.includes('\r')) return line;
  const states = line.split('\r').filter((state) => state.trim() !== '');
  const words = states.map((state) => (state.match(/\p{L}{3,}/gu) ?? []).join(' '));
  return states.filter((_, index) => words[index] !== words[index + 1]).join('\n');
}

function erased(text: string): string {
  const kept: string[] = [];
  for (const character of text) {
    if (character !== '\b') kept.push(character);
    else if (kept.length > 0 && kept.at(-1) !== '\n') kept.pop();
  }
  return kept.join('');
}
