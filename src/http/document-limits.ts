import {
  type DocumentNode,
  type ExecutionArgs,
  GraphQLError,
  getOperationAST,
  Kind,
  Lexer,
  Source,
  TokenKind,
  visit,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { weigh } from './document-cost.ts';
import {
  MAX_ALIASES,
  MAX_DIRECTIVES,
  MAX_DOCUMENT_COST,
  MAX_DOCUMENT_DEPTH,
  MAX_DOCUMENT_TOKENS,
  MAX_FIELD_DEPTH,
  MAX_MUTATIONS,
  MAX_OPERATIONS,
  MAX_SELECTIONS,
} from './tunables.ts';

const OPENING: readonly string[] = [TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L];
const CLOSING: readonly string[] = [TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R];

/** Refuses oversized and costly documents. Each check runs before the step (parse, validate, execute) it protects. */
export function documentLimits(): Plugin {
  return {
    onParse({ parseFn, setParseFn }) {
      // Called only for documents that are not in the parser's cache.
      setParseFn((source: Source | string, parsing) => {
        checkTokens(typeof source === 'string' ? source : source.body);
        const document = parseFn(source, parsing) as DocumentNode;
        checkShape(document);
        return document;
      });
      // Throws the limit error here, because yoga reports errors that the parser returns as syntax errors.
      return ({ result }) => {
        if (result instanceof GraphQLError && result.extensions.code === 'DOCUMENT_TOO_LARGE') throw result;
      };
    },
    onExecute: refuseCostly,
    onSubscribe: refuseCostly,
  };
}

function refuseCostly(event: {
  args: ExecutionArgs;
  setResultAndStopExecution: (result: { errors: GraphQLError[] }) => void;
}): void {
  const error = costProblem(event.args);
  if (error) event.setResultAndStopExecution({ errors: [error] });
}

function checkTokens(document: string): void {
  const lexer = new Lexer(new Source(document));
  let depth = 0;
  for (let tokens = 0; ; tokens++) {
    const kind = nextKind(lexer);
    if (kind === TokenKind.EOF) return;
    if (OPENING.includes(kind)) depth++;
    else if (CLOSING.includes(kind)) depth--;
    if (tokens >= MAX_DOCUMENT_TOKENS) throw documentTooLarge(`more than ${MAX_DOCUMENT_TOKENS} tokens`);
    if (depth > MAX_DOCUMENT_DEPTH) throw documentTooLarge(`more than ${MAX_DOCUMENT_DEPTH} nested levels`);
  }
}

function nextKind(lexer: Lexer): string {
  try {
    return lexer.advance().kind;
  } catch {
    return TokenKind.EOF; // a lexical error, which the parser reports with its position
  }
}

function costProblem(args: ExecutionArgs): GraphQLError | null {
  const operation = getOperationAST(args.document, args.operationName);
  if (!operation) return null; // GraphQL reports a missing or ambiguous operation
  const { schema, document, variableValues: variables = {} } = args;
  const { cost, depth, width } = weigh({ schema, document, operation, variables: variables ?? {} });
  if (depth > MAX_FIELD_DEPTH) return documentTooLarge(`more than ${MAX_FIELD_DEPTH} nested fields`);
  if (operation.operation === 'mutation' && width > MAX_MUTATIONS)
    return documentTooLarge(`more than ${MAX_MUTATIONS} mutations`);
  if (cost <= MAX_DOCUMENT_COST) return null;
  const message = `The answer could have ${cost} objects, more than ${MAX_DOCUMENT_COST}. Ask for smaller pages, or for fewer fields.`;
  return new GraphQLError(message, {
    extensions: { code: 'DOCUMENT_TOO_COSTLY', cost, limit: MAX_DOCUMENT_COST, http: { status: 400 } },
  });
}

/** Refuses documents with too many fields, aliases or directives, because validation takes quadratic time. */
function checkShape(document: DocumentNode): void {
  const counts = { aliases: 0, directives: 0, operations: 0 };
  visit(document, {
    enter(node) {
      if (node.kind === Kind.FIELD && node.alias) counts.aliases++;
      else if (node.kind === Kind.DIRECTIVE) counts.directives++;
      else if (node.kind === Kind.OPERATION_DEFINITION) counts.operations++;
      else if (node.kind === Kind.SELECTION_SET && node.selections.length > MAX_SELECTIONS) {
        throw documentTooLarge(`more than ${MAX_SELECTIONS} fields in one selection`);
      }
    },
  });
  if (counts.aliases > MAX_ALIASES) throw documentTooLarge(`more than ${MAX_ALIASES} aliases`);
  if (counts.directives > MAX_DIRECTIVES) throw documentTooLarge(`more than ${MAX_DIRECTIVES} directives`);
  if (counts.operations > MAX_OPERATIONS) throw documentTooLarge(`more than ${MAX_OPERATIONS} operations`);
}

function documentTooLarge(what: string): GraphQLError {
  return new GraphQLError(`The document has ${what}. Split it, or pass data as variables.`, {
    extensions: { code: 'DOCUMENT_TOO_LARGE', http: { status: 400 } },
  });
}
