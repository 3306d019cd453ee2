import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { uuidv7 } from '../../../common/uuidv7.ts';
import { HYPOTHESIS_STATES } from '../../../db/enums.ts';
import type { BuiltinTool } from '../../common/builtin-tools.ts';
import type { Transcript } from '../../run-context/transcript.ts';
import type { SessionRun } from '../../run-context/types.ts';
import { type NewHypothesis, readHypotheses, saveHypothesis } from '../../store/hypotheses.ts';
import { toStoredProof } from '../report/material.ts';
import { citationSchema, factSchema, toProof } from '../report/schema.ts';
import type { Claim } from '../report/verify/types.ts';
import { verifyClaims } from '../report/verify-claims.ts';

/** Maximum counts and lengths (UTF-16 code units). */
const MAX = { hypotheses: 10, text: 300, citations: 4, facts: 6 };

const update = z
  .strictObject({
    id: z
      .string()
      .regex(/^H\d{1,2}$/)
      .nullish()
      .describe('Id of a known hypothesis, such as H1; omit it for a new one'),
    text: z
      .string()
      .trim()
      .min(1)
      .max(MAX.text)
      .nullish()
      .describe('Possible cause, if the hypothesis is new'),
    state: z.enum(HYPOTHESIS_STATES),
    citations: z.array(citationSchema).max(MAX.citations).nullish(),
    facts: z.array(factSchema).max(MAX.facts).nullish(),
  })
  .describe('A hypothesis');
type Update = z.output<typeof update>;

const input = z.strictObject({ hypotheses: z.array(update).min(1).max(MAX.hypotheses) });

const EXAMPLE = {
  id: 'H1',
  state: 'SUPPORTED',
  citations: [{ source: 'T12', quote: '{"pod":"web-1","restarts":17}' }],
  facts: [{ subject: 'web-1', attribute: 'restarts', value: '17', citation: 0 }],
};

const DESCRIPTION = `Keeps the list of possible causes, which people and the report read. Propose each possible cause once ({"text":"…","state":"PROPOSED"}); the answer gives its id. Later set it to SUPPORTED or REFUTED, with citations (tool results, quoted word for word) and facts that prove it, which the program checks: ${JSON.stringify(EXAMPLE)}`;

export interface HypothesisKeeper {
  run: Pick<SessionRun, 'db' | 'config' | 'session' | 'alert'>;
  executionId: string;
  transcript: Pick<Transcript, 'kept' | 'note'>;
}

/** Returns the tool with which an agent keeps its hypotheses; none if they are off. */
export function hypothesisTools({ run, executionId, transcript }: HypothesisKeeper): BuiltinTool[] {
  if (!run.config.defaults.hypotheses.enabled) return [];
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { target: 'draft-7', io: 'input' });
  let known: NewHypothesis[] | null = null;
  let last: Promise<unknown> = Promise.resolve(); // calls of one response run in parallel, so they wait for each other

  async function change(updates: readonly Update[]): Promise<string> {
    known ??= await readHypotheses(run.db, executionId);
    const lines: string[] = [];
    for (const each of updates) lines.push(await apply(known, each));
    return [
      ...lines,
      '',
      'The list:',
      ...known.map(({ number, state, text }) => `H${number} ${state}: ${text}`),
    ]
      .join('\n')
      .trim();
  }

  async function apply(list: NewHypothesis[], given: Update): Promise<string> {
    const found = findHypothesis(list, given);
    if (typeof found === 'string') return found;
    const name = `H${found?.number ?? list.length + 1}`;
    const proof = given.state === 'PROPOSED' ? NO_PROOF : await verify(given);
    if ('problem' in proof && found !== null) return `${name} stays ${found.state}: ${proof.problem}`;
    const base = found ?? {
      ...{ id: uuidv7(), executionId, number: list.length + 1, text: given.text! },
    };
    const state = 'problem' in proof ? 'PROPOSED' : given.state;
    const { citations, facts } = 'problem' in proof ? NO_PROOF : proof;
    const next: NewHypothesis = { ...base, state, citations, facts };
    if (!isDeepStrictEqual(next, found)) {
      list[next.number - 1] = next;
      transcript.note(saveHypothesis(next)); // stored with the result of the call
    }
    return 'problem' in proof ? `${name} is only PROPOSED: ${proof.problem}` : `${name} is ${state}.`;
  }

  async function verify({ citations, facts }: Update): Promise<StoredProof | { problem: string }> {
    const proof = toProof({ citations: citations ?? [], facts: facts ?? [] });
    const claim: Claim = { kind: 'OBSERVATION', text: '', ...proof }; // only the facts are verified, not the sentence
    const [verified] = (await verifyClaims(run, [claim])).claims;
    if (verified!.status === 'SUPPORTED') return toStoredProof(proof, verified!);
    return { problem: verified!.problems.map(({ message, advice }) => `${message} ${advice}`).join(' ') };
  }

  return [
    {
      name: 'tarsy.update_hypotheses',
      description: DESCRIPTION,
      inputSchema,
      run(_args, call) {
        const masked = transcript.kept([call])[0]!.arguments;
        const { hypotheses } = input.parse(JSON.parse(masked));
        const result = last.then(() => change(hypotheses));
        last = result.catch(() => undefined);
        return result;
      },
    },
  ];
}

type StoredProof = Pick<NewHypothesis, 'citations' | 'facts'>;

const NO_PROOF: StoredProof = { citations: [], facts: [] };

/**
 * Returns the known hypothesis that an update is about; `null` for a new one; a text if it is refused. A hypothesis with
 * the same text is the same one, so that a call repeated after a crash changes nothing.
 */
function findHypothesis(list: readonly NewHypothesis[], { id, text }: Update): NewHypothesis | string | null {
  if (id != null) {
    const found = list.find(({ number }) => `H${number}` === id);
    if (found === undefined) return `${id} is unknown. Omit the id to propose a hypothesis.`;
    if (text != null && text !== found.text)
      return `${id} not changed: the text of a hypothesis is fixed. Propose the other text without an id.`;
    return found;
  }
  if (text == null) return 'A hypothesis without id and text is not stored. Give one of them.';
  const same = list.find((each) => each.text === text);
  if (same !== undefined) return same;
  return list.length < MAX.hypotheses
    ? null
    : `Not stored: an agent has at most ${MAX.hypotheses} hypotheses. Update one of them.`;
}
