import { apartIn, type Shown, shownIn } from './extract-facts.ts';
import { foldText } from './normalize-text.ts';
import { problem, statusOf } from './problems.ts';
import type {
  CheckedCitation,
  CheckedClaim,
  CheckedReport,
  CheckInput,
  Citation,
  Claim,
  ClaimStatus,
  ProblemCode,
  Source,
  ToolOutput,
} from './types.ts';
import { type Citable, findQuote } from './verify-citation.ts';
import { judge, type Proof } from './verify-claim.ts';

/**
 * Holds what a report claims against what the tools answered: pure, no model, in time linear in the report and in the outputs that
 * it cites. That a claim is supported says that the quotes are there and show its figures and names, not that it is true.
 */
export function checkReport(input: CheckInput): CheckedReport {
  const check = createCheck(input);
  const claims = input.claims.map(check);
  const counted = claims.filter((_, index) => COUNTED.has(input.claims[index]!.kind));
  const supported = counted.filter(({ status }) => status === 'SUPPORTED');
  return { claims, evidenceScore: counted.length === 0 ? null : supported.length / counted.length };
}

/** Kinds of claims that the evidence score counts, and those that nothing can prove. */
const COUNTED: ReadonlySet<string> = new Set(['CAUSE', 'OBSERVATION']);
const NOT_CHECKABLE: ReadonlySet<string> = new Set(['RECOMMENDATION', 'GAP']);

function createCheck(input: CheckInput): (claim: Claim) => CheckedClaim {
  const outputs = new Map(input.outputs.map((output) => [output.number, output]));
  const citables = new Map<Source, Citable>();
  const asked = new Map<ToolOutput, Shown>();

  function citableOf(source: Source): Citable {
    const kept = citables.get(source);
    if (kept) return kept;
    const citable = { text: textOf(input, outputs, source), views: [] };
    citables.set(source, citable);
    return citable;
  }

  function askedOf(output: ToolOutput): Shown {
    const kept = asked.get(output) ?? shownIn(foldText(argumentsText(output)));
    asked.set(output, kept);
    return kept;
  }

  function cite(citation: Citation): { checked: CheckedCitation; proof: Proof | null } {
    const { source, quote } = citation;
    const output = typeof source === 'number' ? (outputs.get(source) ?? null) : null;
    const code = unusable(source, output, citableOf(source).text);
    const found = code ?? findQuote(citableOf(source), quote);
    if (typeof found === 'string') {
      return {
        checked: { status: statusOf(found), problem: told(found, citation), start: null, end: null },
        proof: null,
      };
    }
    const { start, end, lines, isNegationCut } = found;
    const shown = shownIn(found.shown);
    const together = apartIn(lines) ?? [shown];
    const asked = output && askedOf(output);
    return {
      checked: { status: 'HOLDS', problem: null, start, end },
      proof: { source, quote, shown, together, asked, output, isNegationCut },
    };
  }

  return (claim) => {
    const cited = claim.citations.map(cite);
    const proofs = cited.flatMap(({ proof }) => proof ?? []);
    const citations = cited.map(({ checked }) => checked);
    // The alert and the runbook prove nothing: they take the mark from nothing.
    const answers = proofs.flatMap(({ output }) => output ?? []);
    const onlyUntrusted = answers.length > 0 && answers.every(({ untrusted }) => untrusted);
    const broken = citations.flatMap((citation) => citation.problem ?? []);
    if (NOT_CHECKABLE.has(claim.kind))
      return { status: 'NOT_CHECKABLE', citations, problems: broken, onlyUntrusted };
    if (claim.citations.length === 0) {
      return { status: 'UNSUPPORTED', citations, problems: [problem('NOTHING_CITED')], onlyUntrusted };
    }
    const { problems, isUnprovenAbsence } = judge(claim, proofs);
    const status: ClaimStatus =
      broken.length > 0 || isUnprovenAbsence
        ? 'UNSUPPORTED'
        : problems.length > 0
          ? 'PARTLY_SUPPORTED'
          : 'SUPPORTED';
    return { status, citations, problems: broken.length > 0 ? broken : problems, onlyUntrusted };
  };
}

function told(code: ProblemCode, { source, quote }: Citation) {
  return problem(code, [quote], source);
}

function unusable(source: Source, output: ToolOutput | null, text: string): ProblemCode | null {
  if (typeof source === 'number' && output === null) return 'NO_SUCH_OUTPUT';
  if (output !== null && !output.succeeded && !output.notFound) return 'TOOL_FAILED';
  if (text.trim() !== '') return null;
  return typeof source === 'number' ? 'OUTPUT_EMPTY' : 'NO_SUCH_OUTPUT';
}

function textOf(input: CheckInput, outputs: ReadonlyMap<number, ToolOutput>, source: Source): string {
  if (source === 'ALERT') return input.alert;
  return source === 'RUNBOOK' ? (input.runbook ?? '') : (outputs.get(source)?.text ?? '');
}

/** UTF-16 code units of a call's arguments that are looked at. */
const MAX_ARGUMENTS = 20_000;

/** What a call was asked, one value a line. */
function argumentsText({ server, tool, arguments: args }: ToolOutput): string {
  const lines = [`${server} ${tool} ${server}.${tool}`];
  let room = MAX_ARGUMENTS;
  const add = (key: string, value: unknown, depth: number): void => {
    if (room <= 0 || depth > 8 || value === null || value === undefined) return;
    if (typeof value === 'object') {
      for (const [name, item] of Object.entries(value))
        add(Array.isArray(value) ? key : name, item, depth + 1);
      return;
    }
    const line = `${key}: ${String(value)}`.slice(0, room);
    room -= line.length;
    lines.push(line);
  };
  add('', parsed(args), 0);
  return lines.join('\n');
}

function parsed(args: unknown): unknown {
  if (typeof args !== 'string') return args;
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}
