import { z } from 'zod';
import type { CaseExpectation } from '../document.ts';
import { CaseError, checked } from '../errors.ts';
import type { Importer } from './importer.ts';
import { newBudget, type Source } from './source.ts';
import { NO_TIME, recordingTime } from './times.ts';

const words = z.array(z.string().trim().min(1)).default([]);
const runloreCase = z.looseObject({
  prompt: z.string().trim().min(1),
  alert_title: z.string().optional(),
  workload: z.looseObject({ namespace: z.string().optional(), name: z.string().optional() }).optional(),
  tools: z.record(z.string().regex(/^[\w-]{1,64}$/, 'must be the name of a tool'), z.unknown()),
  expected: z
    .looseObject({
      must_contain: words,
      root_cause_entities: words,
      distractors: words,
      min_confidence: z.number().min(0).max(1).optional(),
    })
    .prefault({}),
  catalog_dir: z.string().optional(),
});
type RunloreCase = z.output<typeof runloreCase>;

/** RunLore: a YAML file with a prompt and one output for each tool, which answers every call of it. */
export const runLore: Importer = async (source, { server, recordedAt }) => {
  const paths: string[] = [];
  for (const file of source.files)
    if (/\.ya?ml$/.test(file) && (await looksLikeCase(source, file))) paths.push(file);
  return {
    paths,
    async read(path) {
      const { data, locate } = await source.yaml(path, newBudget());
      const read = checked<RunloreCase>(runloreCase, data, locate);
      const outputs = Object.entries(read.tools).map(([tool, output]): [string, string] => [
        tool,
        typeof output === 'string' ? output : JSON.stringify(output),
      ]);
      const alert = alertOf(read);
      const time = recordedAt ?? recordingTime([alert, ...outputs.map(([, output]) => output)]);
      if (time === null) return NO_TIME;
      return {
        world: 'open',
        recorded_at: time,
        notes: notesOf(read),
        alert,
        expect: expectationOf(read.expected),
        tools: outputs.map(([name]) => ({
          ...{ server, name, description: `Returns ${name.replaceAll('_', ' ')}.` },
          annotations: { read_only: true },
        })),
        calls: outputs.map(([tool, output]) => ({ server, tool, partial: true, output })),
      };
    },
  };
};

/** True if a file has a prompt and tools. A file that cannot be read counts as a case, so that it is reported. */
async function looksLikeCase(source: Source, file: string): Promise<boolean> {
  try {
    const text = await source.text(file, newBudget());
    return /^prompt:/m.test(text) && /^tools:/m.test(text);
  } catch (error) {
    if (error instanceof CaseError) return true;
    throw error;
  }
}

function alertOf({ alert_title: title, workload, prompt }: RunloreCase): string {
  const place = [workload?.namespace, workload?.name].filter(Boolean).join('/');
  return [title ?? '', place === '' ? '' : `Workload: ${place}`, prompt].filter(Boolean).join('\n\n');
}

/** Terms and entities are parts of a right claim. `|` separates alternatives. */
function expectationOf({
  must_contain: terms,
  root_cause_entities: entities,
  min_confidence: confidence,
}: RunloreCase['expected']): Partial<CaseExpectation> {
  const quoted = (text: string) => text.replace(/[\\^$.*+?()[\]{}]/g, '\\$&');
  return {
    must_say: [
      ...new Set([...terms.map(quoted), ...entities.map((entity) => quoted(entity).replaceAll('|', '\\|'))]),
    ],
    ...(confidence !== undefined && { min_confidence: confidence }),
  };
}

function notesOf({ expected: { distractors }, catalog_dir: memories }: RunloreCase): string {
  return [
    'Imported from RunLore.',
    ...(distractors.length === 0
      ? []
      : [
          `A right answer blames none of: ${distractors.join(', ')}. This is not checked, because it may rule them out.`,
        ]),
    ...(memories === undefined ? [] : [`The memories in ${memories} are not imported.`]),
  ].join('\n');
}
