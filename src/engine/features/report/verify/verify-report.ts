import { oncePer } from '../../../../common/once-per.ts';
import { readScope } from './call-scope.ts';
import { findOrderProblem } from './cause-order.ts';
import { parseDocument } from './parse-document.ts';
import { citationStatus, createProblem, type ProblemCode } from './problems.ts';
import { findUncovered } from './sentence.ts';
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
import { type Evidence, verifyFacts } from './verify-claim.ts';

/** Verifies claims in linear time without a model. SUPPORTED: the quotes exist and show each fact of the claim. */
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
  const scopeOf = oncePer(readScope);
  const documentOf = oncePer((citable: CitableText) => parseDocument(citable.text));

  function citableOf(source: Source): CitableText {
    const citable = citables.get(source) ?? { text: textOf(input, outputs, source), views: [] };
    citables.set(source, citable);
    return citable;
  }

  function verifyCitation({ source, quote }: Citation): {
    citation: VerifiedCitation;
    evidence: Evidence | null;
  } {
    const output = typeof source === 'number' ? (outputs.get(source) ?? null) : null;
    const citable = citableOf(source);
    const found = unusable(source, output, citable.text) ?? findQuote(citable, quote);
    if (typeof found === 'string') {
      const problem = createProblem(found, [quote], source);
      return { citation: { status: citationStatus(found), problem, start: null, end: null }, evidence: null };
    }
    const { start, end, passage } = found;
    const scope = output && scopeOf(output);
    const call = {
      entities:
        output && scope
          ? [output.tool, ...scope.fields.filter(({ value }) => !/\s/.test(value)).map(({ value }) => value)]
          : [],
      words: scope?.words ?? [],
      metric: scope?.metric ?? '',
      command: scope?.fields.map(({ value }) => value).join(' ') ?? '',
    };
    const place = { root: documentOf(citable), start, end, passage, call };
    return {
      citation: { status: 'HOLDS', problem: null, start, end },
      evidence: { source, output, scope, place },
    };
  }

  return (claim) => {
    const verified = claim.citations.map(verifyCitation);
    const evidence = verified.map((one) => one.evidence);
    const citations = verified.map(({ citation }) => citation);
    const facts = verifyFacts(claim, evidence);
    const broken = citations.flatMap(({ problem }) => problem ?? []);
    const result = { citations, facts, onlyUntrusted: restsOnUntrusted(claim, evidence) };
    if (NOT_CHECKABLE.has(claim.kind)) return { ...result, status: 'NOT_CHECKABLE', problems: broken };
    const unsupported = (...codes: ProblemCode[]): VerifiedClaim => ({
      ...result,
      status: 'UNSUPPORTED',
      problems: [...codes.map((code) => createProblem(code)), ...broken],
    });
    if (claim.citations.length === 0) return unsupported('NOTHING_CITED');
    if (claim.facts.length === 0) return unsupported('NO_FACTS');
    if (broken.length > 0) return unsupported();
    const unproven = facts.flatMap(({ problem }) => problem ?? []);
    const problems = [...unproven, ...findUncovered(claim)];
    const order = findOrderProblem(claim, facts);
    if (order?.code === 'CAUSE_AFTER_EFFECT')
      return { ...result, status: 'UNSUPPORTED', problems: [order, ...problems] };
    const isAbsent = claim.facts.some(
      (fact, index) => fact.attribute === 'absent' && facts[index]!.problem !== null,
    );
    const isSaid = facts.some(({ problem }) => problem === null || problem.code === 'ONLY_THE_ALERT_SAYS_SO');
    const partly = problems.length > 0 ? 'PARTLY_SUPPORTED' : 'SUPPORTED';
    const status = isAbsent || !isSaid ? 'UNSUPPORTED' : partly;
    return { ...result, status, problems: order === null ? problems : [...problems, order] };
  };
}

/** True if a fact has no proof but that of an untrusted tool; without facts, if all cited tools are untrusted. */
function restsOnUntrusted({ facts }: Claim, evidence: readonly (Evidence | null)[]): boolean {
  const isUntrusted = (index: number) => evidence[index]?.output?.untrusted ?? false;
  if (facts.length > 0) return facts.some(({ citation }) => isUntrusted(citation));
  const answers = evidence.flatMap((one) => one?.output ?? []);
  return answers.length > 0 && answers.every(({ untrusted }) => untrusted);
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
