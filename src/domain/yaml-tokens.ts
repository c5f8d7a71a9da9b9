/** The two steps of a YAML reader before it composes values. */
export interface YamlReader<Token> {
  readonly lexer: { lex(text: string): Iterable<string> };
  readonly parser: {
    next(lexeme: string): Iterable<Token>;
    end(): Iterable<Token>;
    readonly stack: { readonly length: number };
    readonly offset: number;
  };
}

/** Where a text is beyond the bounds, and which. */
export interface TooMuchYaml {
  readonly offset: number;
  readonly sentence: string;
  readonly hint: string;
}

const MAX_DEPTH = 60;
/** About 6,000 lines of `key: value`, or 1,500 steps of a sprint. */
const MAX_LEXEMES = 40_000;
/** One value can be a text of any length, which takes its time as well. */
const MAX_LENGTH = 400_000;

/**
 * B-04: the tokens of a YAML text, within bounds: beyond them, the parser and the composer take seconds or all memory, in
 * one piece, and no signal is heard until they are done. No file that a person writes comes near. `isLong`: only the depth
 * is bounded, for a process that need not hear.
 */
export function yamlTokens<Token>(
  text: string,
  { lexer, parser }: YamlReader<Token>,
  isLong = false,
): Token[] | TooMuchYaml {
  const [maxLexemes, maxLength] = isLong ? [Infinity, Infinity] : [MAX_LEXEMES, MAX_LENGTH];
  const tokens: Token[] = [];
  let lexemes = 0;
  for (const lexeme of lexer.lex(text.slice(0, maxLength))) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    lexemes += 1;
    if (parser.stack.length > MAX_DEPTH) return { offset: parser.offset, ...TOO_DEEP };
    if (lexemes > maxLexemes) return { offset: parser.offset, ...TOO_MANY };
  }
  if (text.length > maxLength) return { offset: maxLength, ...TOO_LONG };
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

const TOO_DEEP = {
  sentence: "The values are nested too deeply",
  hint: "Check the brackets and the indentation here",
};
const TOO_LONG = {
  sentence: `The file has more than ${MAX_LENGTH} characters`,
  hint: "Check that it is the right file, or split it",
};
const TOO_MANY = {
  sentence: "The file has too many entries",
  hint: "Check that it is the right file, or split it",
};

/** B-04: a text can have a mistake in each line, and where in the parser it was found takes longer to tell than to find it. */
export function withoutStacks<Result>(action: () => Result): Result {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return action();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
