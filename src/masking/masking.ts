import type { Logger } from 'pino';
import { MASKING_GROUP_PATTERNS, type MaskingGroup, type MaskingPattern } from '../config/masking-names.ts';
import type { Config, CustomPatternConfig, DataMaskingConfig, TextMaskingConfig } from '../config/types.ts';
import { maskArgumentsText } from './arguments.ts';
import { createCustomPatterns } from './custom-patterns.ts';
import { maskPatterns } from './patterns.ts';

/** Takes secrets out of text. Masking is one-way, and masking masked text changes nothing. */
export interface Masking {
  /** What a server returned, by that server's settings. Never throws: on failure it is a notice instead of the text. */
  maskToolResult(serverId: string, text: string): string;
  /**
   * The arguments of a call as they are stored and shown; the server gets them as they are. By that server's settings;
   * JSON stays JSON. Never throws: on failure they are withheld.
   */
  maskArguments(serverId: string, text: string): string;
  /** An alert's text; on failure it is as it was, and a warning is given: an alert must not be lost. */
  maskAlert(text: string): string;
  /** A question about an investigation. @throws Error on a failure of masking itself */
  maskChat(text: string): string;
  /** The text of a runbook. @throws Error on a failure of masking itself */
  maskRunbook(text: string): string;
  /** Any text, by the given groups and patterns. @throws Error on a failure of masking itself */
  maskText(text: string, choice: MaskingChoice): string;
  /** Whether a text holds what masking leaves, so that it is not what it was. */
  isMasked(text: string): boolean;
}

export interface MaskingChoice {
  groups?: readonly MaskingGroup[];
  patterns?: readonly MaskingPattern[];
}

/** What a tool's result becomes when masking it failed. */
export const WITHHELD_RESULT = '[MASKED_RESULT] The result is withheld, because masking it failed.';

/**
 * For a server whose masking is on but names no pattern, and for servers that are not configured: what the `security`
 * group finds, and Secrets of Kubernetes.
 */
const DEFAULT_CHOICE: MaskingChoice = { groups: ['security'], patterns: ['kubernetes_secret'] };

/** @param alertState told whether alerts can be masked: with the first one, and when that changes */
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
  const marks = leftBy(
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
        logger.warn({ reason: nameOf(error) }, 'masking an alert failed; it is kept unmasked');
        setAlertState(false);
        return text;
      }
    },
    maskChat: textMask(chatMasking),
    maskRunbook: textMask(runbookMasking),
    maskText: (text, choice) => patternMask(choice)(text),
    isMasked: (text) => marks.some((mark) => text.includes(mark)),
  };
}

type Mask = (text: string) => string;

const AS_IT_IS: Mask = (text) => text;

function textMask({ enabled, patternGroup }: TextMaskingConfig): Mask {
  return enabled ? patternMask({ groups: [patternGroup], patterns: ['kubernetes_secret'] }) : AS_IT_IS;
}

function serverMask({ enabled, patternGroups, patterns, customPatterns }: DataMaskingConfig): Mask {
  if (!enabled) return AS_IT_IS;
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

/** What built-in patterns and these leave in a text: the parts of their replacements that do not vary. */
function leftBy(customPatterns: readonly CustomPatternConfig[]): string[] {
  const replacements = customPatterns.map(({ replacement }) =>
    replacement.split(/\$(?:\d{1,2}|[&`'$]|<[^>]*>)/),
  );
  const parts = replacements.map((each) => each.reduce((a, b) => (b.length > a.length ? b : a), ''));
  return ['[MASKED', ...parts.filter((part) => part.trim() !== '')];
}

/** The message of an error may quote what was to be masked. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}
