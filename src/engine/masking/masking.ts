import type { Logger } from 'pino';
import {
  MASKING_GROUP_PATTERNS,
  type MaskingGroup,
  type MaskingPattern,
} from '../../config/masking-names.ts';
import type { Config, DataMaskingConfig } from '../../config/types.ts';
import { createCustomPatterns } from './custom-patterns.ts';
import { maskPatterns } from './patterns.ts';

/** Takes secrets out of text. Masking is one-way, and masking masked text changes nothing. */
export interface Masking {
  /** What a server returned, by that server's settings. Never throws: on failure it is a notice instead of the text. */
  maskToolResult(serverId: string, text: string): string;
  /** An alert's text; on failure it is as it was, and a warning is logged: an alert must not be lost. */
  maskAlert(text: string): string;
  /** Any text, by the given groups and patterns. @throws Error on a failure of masking itself */
  maskText(text: string, choice: MaskingChoice): string;
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

export function createMasking(config: Config, logger: Logger): Masking {
  const { alertMasking } = config.defaults;
  const servers = new Map(
    Object.values(config.mcpServers).map(({ id, dataMasking }) => [id, serverMask(dataMasking)] as const),
  );
  const unknownServer = patternMask(DEFAULT_CHOICE);
  const alert = patternMask({ groups: [alertMasking.patternGroup] });
  return {
    maskToolResult(serverId, text) {
      try {
        return (servers.get(serverId) ?? unknownServer)(text);
      } catch (error) {
        logger.error({ mcpServer: serverId, reason: nameOf(error) }, 'masking a tool result failed');
        return WITHHELD_RESULT;
      }
    },
    maskAlert(text) {
      if (!alertMasking.enabled) return text;
      try {
        return alert(text);
      } catch (error) {
        logger.warn({ reason: nameOf(error) }, 'masking an alert failed; it is kept unmasked');
        return text;
      }
    },
    maskText: (text, choice) => patternMask(choice)(text),
  };
}

type Mask = (text: string) => string;

function serverMask({ enabled, patternGroups, patterns, customPatterns }: DataMaskingConfig): Mask {
  if (!enabled) return (text) => text;
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

/** The message of an error may quote what was to be masked. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}
