import { createTwoFilesPatch } from 'diff';
import { stringify } from 'yaml';
import { maskMessage } from '../../masking/messages.ts';
import { changedPaths, MAX_PATHS } from './templates.ts';

/** Maximum number of differing lines of an exact comparison, whose time grows with their square. */
const MAX_EDITS = 1500;
/** Maximum number of differing fields that are listed. */
const MAX_FIELDS = 40;

/** Two versions of a text with their names. `null` if a version does not exist. */
export interface Versions {
  beforeName: string;
  before: string | null;
  afterName: string;
  after: string | null;
}

/**
 * Returns the unified diff of two texts. Each text is masked as a whole before the comparison, because masking needs
 * the lines around a secret. @throws Error if masking fails
 */
export function diffTexts({ beforeName, before, afterName, after }: Versions): string {
  const [left, right] = [maskMessage(before ?? ''), maskMessage(after ?? '')];
  if (left === right) return before === after ? 'No differences.' : 'All differing values are masked.';
  const names = [
    before === null ? '/dev/null' : beforeName,
    after === null ? '/dev/null' : afterName,
  ] as const;
  const options = { context: 3, maxEditLength: MAX_EDITS };
  const patch = createTwoFilesPatch(names[0], names[1], left, right, '', '', options);
  if (patch === undefined) return onlyLines(left, right);
  return patch
    .replace(/^=+\n/, '')
    .replace(/^(---|\+\+\+) (.*)\t$/gm, '$1 $2')
    .trimEnd();
}

/** Returns the lines that only one of two texts has. */
function onlyLines(before: string, after: string): string {
  const [left, right] = [before.split('\n'), after.split('\n')];
  const [inLeft, inRight] = [new Set(left), new Set(right)];
  return [
    `The texts differ in more than ${MAX_EDITS} lines. Lines that only one of them has:`,
    ...left.filter((line) => !inRight.has(line)).map((line) => `-${line}`),
    ...right.filter((line) => !inLeft.has(line)).map((line) => `+${line}`),
  ].join('\n');
}

/** Two versions of an object with their names. */
export interface ObjectVersions {
  beforeName: string;
  before: unknown;
  afterName: string;
  after: unknown;
}

/**
 * Returns the differing fields of two objects and the unified diff of their YAML. A field whose values are masked is
 * listed, though the diff does not show it.
 */
export function diffObjects({ beforeName, before, afterName, after }: ObjectVersions): string {
  const paths = changedPaths(before, after);
  const more = paths.length - MAX_FIELDS;
  const fields = paths.slice(0, MAX_FIELDS).map((path) => `- ${path}`);
  const diff = diffTexts({ beforeName, before: yamlOf(before), afterName, after: yamlOf(after) });
  return [
    ...(fields.length === 0 ? [] : ['Changed fields:', ...fields]),
    ...(more > 0 ? [`- ${paths.length < MAX_PATHS ? '' : 'at least '}${more} more`] : []),
    diff,
  ].join('\n');
}

/** Returns an object as YAML, unmasked. */
export function yamlOf(value: unknown): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}
