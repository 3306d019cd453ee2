import { oncePer } from '../../../../common/once-per.ts';
import { extractEvidence, independentLines } from './extract-facts.ts';
import { normalizedString } from './normalize-text.ts';
import { citationStatus, createProblem, type ProblemCode } from './problems.ts';
import type {
  Citation,
  Claim,
  Source,
  ToolOutput,
  VerifiedCitation,
  VerifiedClaim,
  VerifiedReport,
  VerifyReportInput,
} from './types.ts';
import { type CitableText, findQuote } from './verify-citation.ts';
import { type Proof, verifyClaim } from './verify-claim.ts';

/** Verifies claims in linear time without a model. SUPPORTED: the quotes exist and show the claim's facts. */
export function verifyReport(input: VerifyReportInput): VerifiedReport {
  const verify = createVerifier(input);
  const claims = input.claims.map(verify);
  const counted = claims.filter((_, index) => COUNTED.has(input.claims[index]!.kind));
  const supported = counted.filter(({ status }) => status === 'SUPPORTED');
  return { claims, evidenceScore: counted.length === 0 ? null : supported.length / counted.length };
}

/** Kinds of claims that the evidence score counts, and kinds that nothing can prove. */
const COUNTED: ReadonlySet<string> = new Set(['CAUSE', 'OBSERVATION']);
const NOT_CHECKABLE: ReadonlySet<string> = new Set(['RECOMMENDATION', 'GAP']);

function createVerifier(input: VerifyReportInput): (claim: Claim) => VerifiedClaim {
  const outputs = new Map(input.outputs.map((output) => [output.number, output]));
  const citables = new Map<Source, CitableText>();
  const requestOf = oncePer((output: ToolOutput) => extractEvidence(normalizedString(argumentsText(output))));

  function citableOf(source: Source): CitableText {
    const citable = citables.get(source) ?? { text: textOf(input, outputs, source), views: [] };
    citables.set(source, citable);
    return citable;
  }

  function verifyCitation({ source, quote }: Citation): { citation: VerifiedCitation; proof: Proof | null } {
    const output = typeof source === 'number' ? (outputs.get(source) ?? null) : null;
    const citable = citableOf(source);
    const found = unusable(source, output, citable.text) ?? findQuote(citable, quote);
    if (typeof found === 'string') {
      const problem = createProblem(found, [quote], source);
      return { citation: { status: citationStatus(found), problem, start: null, end: null }, proof: null };
    }
    const { start, end, lines, omitsNegation } = found;
    const evidence = extractEvidence(found.passage);
    const parts = independentLines(lines) ?? [evidence];
    return {
      citation: { status: 'HOLDS', problem: null, start, end },
      proof: { source, quote, evidence, parts, request: output && requestOf(output), output, omitsNegation },
    };
  }

  return (claim) => {
    const verified = claim.citations.map(verifyCitation);
    const proofs = verified.flatMap(({ proof }) => proof ?? []);
    const citations = verified.map(({ citation }) => citation);
    // Only tool results count here, because the alert and the runbook prove only statements about themselves.
    const answers = proofs.flatMap(({ output }) => output ?? []);
    const onlyUntrusted = answers.length > 0 && answers.every(({ untrusted }) => untrusted);
    const broken = citations.flatMap((citation) => citation.problem ?? []);
    if (NOT_CHECKABLE.has(claim.kind))
      return { status: 'NOT_CHECKABLE', citations, problems: broken, onlyUntrusted };
    if (claim.citations.length === 0)
      return { status: 'UNSUPPORTED', citations, problems: [createProblem('NOTHING_CITED')], onlyUntrusted };
    const { problems, isUnprovenAbsence } = verifyClaim(claim, proofs);
    if (broken.length > 0) return { status: 'UNSUPPORTED', citations, problems: broken, onlyUntrusted };
    const partly = problems.length > 0 ? 'PARTLY_SUPPORTED' : 'SUPPORTED';
    return { status: isUnprovenAbsence ? 'UNSUPPORTED' : partly, citations, problems, onlyUntrusted };
  };
}

function unusable(source: Source, output: ToolOutput | null, text: string): ProblemCode | null {
  if (typeof source === 'number' && output === null) return 'NO_SUCH_OUTPUT';
  if (output !== null && !output.succeeded && !output.notFound) return 'TOOL_FAILED';
  if (text.trim() !== '') return null;
  return typeof source === 'number' ? 'OUTPUT_EMPTY' : 'NO_SUCH_OUTPUT';
}

function textOf(input: VerifyReportInput, outputs: ReadonlyMap<number, ToolOutput>, source: Source): string {
  if (source === 'ALERT') return input.alert;
  return source === 'RUNBOOK' ? (input.runbook ?? '') : (outputs.get(source)?.text ?? '');
}

const MAX_ARGUMENTS = 20_000;

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
