import { GraphQLError, Lexer, Source, TokenKind } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { MAX_DOCUMENT_DEPTH, MAX_DOCUMENT_TOKENS } from './tunables.ts';

const OPENING: readonly string[] = [TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L];
const CLOSING: readonly string[] = [TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R];

/** Refuses documents that are too long or nested too deep, before the recursive parser sees them. */
export function documentLimits(): Plugin {
  return {
    onParse: ({ params }) => checkDocument(String(params.source)),
  };
}

/** @throws a GraphQLError with code DOCUMENT_TOO_LARGE */
function checkDocument(document: string): void {
  const lexer = new Lexer(new Source(document));
  let depth = 0;
  for (let tokens = 0; ; tokens++) {
    const kind = nextKind(lexer);
    if (kind === TokenKind.EOF) return;
    if (OPENING.includes(kind)) depth++;
    else if (CLOSING.includes(kind)) depth--;
    if (tokens >= MAX_DOCUMENT_TOKENS) throw tooLarge(`more than ${MAX_DOCUMENT_TOKENS} tokens`);
    if (depth > MAX_DOCUMENT_DEPTH) throw tooLarge(`more than ${MAX_DOCUMENT_DEPTH} nested levels`);
  }
}

function nextKind(lexer: Lexer): string {
  try {
    return lexer.advance().kind;
  } catch {
    return TokenKind.EOF; // not GraphQL: the parser says where
  }
}

function tooLarge(what: string): GraphQLError {
  return new GraphQLError(`The document has ${what}. Split it, or pass data as variables.`, {
    extensions: { code: 'DOCUMENT_TOO_LARGE', http: { status: 400 } },
  });
}
