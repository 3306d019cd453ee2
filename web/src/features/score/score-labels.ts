/** Labels of the judge's failure tags; an unknown tag is shown unchanged. */
const TAGS: Readonly<Record<string, string>> = {
  premature_conclusion: 'Concluded too early',
  missed_available_tool: 'Available tool not used',
  unsupported_confidence: 'Overconfident',
  incomplete_evidence: 'Incomplete evidence',
  hallucinated_evidence: 'Fabricated evidence',
  wrong_conclusion: 'Wrong conclusion',
};

export const tagLabel = (tag: string): string => TAGS[tag] ?? tag;

const DIMENSIONS: readonly [name: string, label: string][] = [
  ['outcome', 'Outcome'],
  ['evidence', 'Evidence'],
  ['tools', 'Tool use'],
  ['reasoning', 'Reasoning'],
  ['completeness', 'Completeness'],
];

export interface Dimension {
  readonly name: string;
  readonly label: string;
  readonly points: number;
  readonly reason: string;
}

/**
 * Returns the dimensions of a score; malformed ones are skipped.
 * @param value untyped JSON of the API
 */
export function dimensionsOf(value: unknown): Dimension[] {
  return DIMENSIONS.flatMap(([name, label]) => {
    const part: unknown = Reflect.get(Object(value), name);
    const { points, reason } = Object(part) as Record<string, unknown>;
    return typeof points === 'number' && typeof reason === 'string' ? [{ name, label, points, reason }] : [];
  });
}
