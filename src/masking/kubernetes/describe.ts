import type { Range } from '../text.ts';

const DATA = /^[ \t]*Data[ \t]*\r?\n[ \t]*={3,}[ \t]*\r?(?:\n|$)/gm;
const NAME_OR_TYPE = /^[ \t]*(?:(Name):|Type:[ \t]*\S)/gm;
const END =
  /^[ \t]*(?:(?:Events|BinaryData|Name)(?::|[ \t]*\r?$)|Data[ \t]*\r?\n[ \t]*={3})|^(?:---|```)[ \t]*\r?$/m;
const RULE = /^[ \t]*----[ \t]*\r?$/m;
const KEY = /^[ \t]*([^\s:]{1,253}):/;
const BYTES = /^\d+ bytes$/;

/** Finds values in the `Data` part of `kubectl describe secret` output, which shows tokens unmasked. */
export function findDescribed(text: string): Range[] {
  const ranges: Range[] = [];
  let above = 0;
  let isTyped = false;
  for (const { index, 0: heading } of text.matchAll(DATA)) {
    const start = index + heading.length;
    const last = text.slice(above, index).matchAll(NAME_OR_TYPE).toArray().at(-1);
    if (last) isTyped = last[1] === undefined;
    above = start;
    const part = text.slice(start);
    const lines = part.slice(0, END.exec(part)?.index);
    // Skips a ConfigMap, which has no type and a line of dashes below each key.
    if (isTyped || !RULE.test(lines)) ranges.push(...describedValues(lines, start));
  }
  return ranges;
}

function describedValues(part: string, offset: number): Range[] {
  const ranges: Range[] = [];
  let isAfterBlank = false;
  for (const { index, 0: line } of part.matchAll(/^[^\r\n]*/gm)) {
    const key = KEY.exec(line);
    const rest = line.slice(key?.[0].length ?? 0).trimStart();
    const value = rest.trimEnd();
    if (isAfterBlank && key && /^[A-Z]/.test(key[1]!) && value === '') break;
    const isText = !key && isAfterBlank && /\s/.test(value);
    const start = offset + index + line.length - rest.length;
    if (value !== '' && !isText && !BYTES.test(value)) ranges.push({ start, end: start + value.length });
    isAfterBlank = line.trim() === '';
  }
  return ranges;
}
