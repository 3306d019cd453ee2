import type { Logger } from 'pino';
import { runWithTimeout } from '../common/time-limit.ts';
import { MASKING_GROUP_PATTERNS, type MaskingGroup, type MaskingPattern } from '../config/masking-names.ts';
import { compilePattern, compileReplacement } from '../config/regex.ts';
import type { Config, CustomPatternConfig, DataMaskingConfig, TextMaskingConfig } from '../config/types.ts';
import { maskArgumentsText } from './arguments.ts';
import { maskPatterns } from './patterns.ts';

/** Removes secrets from text. Masking masked text changes nothing. `maskChat`, `maskRunbook`, `maskText` may throw. */
export interface Masking {
  /** Masks a tool result by its MCP server's settings. Never throws; on failure returns WITHHELD_RESULT. */
  maskToolResult(serverId: string, text: string): string;
  /** Masks a tool call's arguments. JSON stays JSON. Never throws; on failure returns WITHHELD_ARGUMENTS. */
  maskArguments(serverId: string, text: string): string;
  /** Masks an alert. On failure, reports that and returns the text unmasked, because an alert must not be lost. */
  maskAlert(text: string): string;
  maskChat(text: string): string;
  maskRunbook(text: string): string;
  /** Masks any text; the default choice is that of MCP servers without masking settings. */
  maskText(text: string, choice?: MaskingChoice): string;
  /** True if a text contains a placeholder, so that the text is probably not the original. */
  isMasked(text: string): boolean;
}

export interface MaskingChoice {
  groups?: readonly MaskingGroup[];
  patterns?: readonly MaskingPattern[];
}

export const WITHHELD_RESULT = '[MASKED_RESULT] The result is withheld, because masking it failed.';

/** Default patterns for texts, for MCP servers without masking settings and for unknown servers. */
const DEFAULT_CHOICE: MaskingChoice = { groups: ['security'], patterns: ['kubernetes_secret'] };

/** @param alertState called after the first alert and on each change; receives true if alerts can be masked */
export function createMasking(
  config: Config,
  logger: Logger,
  alertState: (works: boolean) => void = () => {},
): Masking {
  const { alertMasking, chatMasking, runbookMasking } = config.defaults;
  const servers = new Map(
    Object.values(config.mcpServers).map(({ id, dataMasking }) => [id, serverMask(dataMasking)] as const),
  );
  const unknownServer = patternMask(DEFAULT_CHOICE);
  const maskFor = (serverId: string) => servers.get(serverId) ?? unknownServer;
  const alert = textMask(alertMasking);
  let alertsWork: boolean | null = null;
  const setAlertState = (works: boolean) => {
    if (works !== alertsWork) alertState(works);
    alertsWork = works;
  };
  const marks = replacementMarks(
    Object.values(config.mcpServers).flatMap(({ dataMasking }) => dataMasking.customPatterns),
  );
  return {
    maskToolResult(serverId, text) {
      try {
        return maskFor(serverId)(text);
      } catch (error) {
        logger.error({ mcpServer: serverId, reason: nameOf(error) }, 'masking a tool result failed');
        return WITHHELD_RESULT;
      }
    },
    maskArguments: (serverId, text) => maskArgumentsText(text, maskFor(serverId)),
    maskAlert(text) {
      try {
        const masked = alert(text);
        setAlertState(true);
        return masked;
      } catch (error) {
        logger.warn({ reason: nameOf(error) }, 'masking an alert failed, kept unmasked');
        setAlertState(false);
        return text;
      }
    },
    maskChat: textMask(chatMasking),
    maskRunbook: textMask(runbookMasking),
    maskText: (text, choice = DEFAULT_CHOICE) => patternMask(choice)(text),
    isMasked: (text) => marks.some((mark) => text.includes(mark)),
  };
}

type Mask = (text: string) => string;

const UNCHANGED: Mask = (text) => text;

function textMask({ enabled, patternGroup }: TextMaskingConfig): Mask {
  return enabled ? patternMask({ groups: [patternGroup], patterns: ['kubernetes_secret'] }) : UNCHANGED;
}

function serverMask({ enabled, patternGroups, patterns, customPatterns }: DataMaskingConfig): Mask {
  if (!enabled) return UNCHANGED;
  const choice = { groups: patternGroups, patterns };
  const isChosen = patternGroups.length + patterns.length + customPatterns.length > 0;
  const builtIn = patternMask(isChosen ? choice : DEFAULT_CHOICE);
  const custom = createCustomPatterns(customPatterns);
  return (text) => custom(builtIn(text));
}

function patternMask({ groups = [], patterns = [] }: MaskingChoice): Mask {
  const chosen = new Set([...groups.flatMap((group) => MASKING_GROUP_PATTERNS[group]), ...patterns]);
  return (text) => maskPatterns(text, chosen);
}

/** Returns the longest constant part of each replacement, built-in or custom, to recognise masked text. */
function replacementMarks(customPatterns: readonly CustomPatternConfig[]): string[] {
  const replacements = customPatterns.map(({ replacement }) =>
    replacement.split(/\$(?:\d{1,2}|[&`'$]|<[^>]*>)/),
  );
  const parts = replacements.map((each) => each.reduce((a, b) => (b.length > a.length ? b : a), ''));
  return ['[MASKED', ...parts.filter((part) => part.trim() !== '')];
}

/** Returns the error's name only, because its message may quote the unmasked text. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}

/** Time limit of an operator's pattern for one text (ms): enough for megabytes, and stops unbounded backtracking. */
const CUSTOM_PATTERN_LIMIT_MS = 1000;

/** Returns a function that applies the operator's patterns. The function throws if a pattern exceeds the time limit. */
function createCustomPatterns(patterns: readonly CustomPatternConfig[]): (text: string) => string {
  const compiled = patterns.map(({ pattern, replacement }) => ({
    regex: compilePattern(pattern),
    replacement: compileReplacement(replacement),
  }));
  return (text) =>
    compiled.reduce((masked, { regex, replacement }) => {
      const replaced = runWithTimeout(CUSTOM_PATTERN_LIMIT_MS, () => masked.replace(regex, replacement));
      if (replaced === null) throw new Error(`a pattern took longer than ${CUSTOM_PATTERN_LIMIT_MS} ms`);
      return replaced;
    }, text);
}
