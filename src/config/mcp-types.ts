import type { TransportType } from './enums.ts';
import type { MaskingGroup, MaskingPattern } from './masking-names.ts';
import type { Named, Origin } from './named.ts';

export type TransportConfig = StdioTransportConfig | HttpTransportConfig;

export interface StdioTransportConfig {
  readonly type: Extract<TransportType, 'stdio'>;
  readonly command: string;
  readonly args: readonly string[];
  /** Those that it inherits included, in a loaded configuration. */
  readonly env: Named<string>;
  /** Names. */
  readonly inheritEnv: readonly string[];
  /** Of one tool call; null = `defaults.timeouts.toolCallMs`. */
  readonly timeoutMs: number | null;
}

export interface HttpTransportConfig {
  readonly type: Exclude<TransportType, 'stdio'>;
  readonly url: string;
  readonly bearerToken: string | null;
  /** Read for each request. At most one of the three is there. */
  readonly bearerTokenFile: string | null;
  readonly oauth: McpOAuthConfig | null;
  readonly verifySsl: boolean;
  /** PEM file of certificate authorities to trust besides the usual ones. */
  readonly caFile: string | null;
  /** Of one tool call; null = `defaults.timeouts.toolCallMs`. */
  readonly timeoutMs: number | null;
  readonly customHeaders: Named<string>;
}

/** OAuth client credentials; one of the secret, its file and the key's file is there. */
export interface McpOAuthConfig {
  readonly clientId: string;
  /** Credentials go to no other authorization server. */
  readonly issuer: string;
  /** Separated by spaces. */
  readonly scope?: string;
  readonly clientSecret?: string;
  readonly clientSecretFile?: string;
  /** PEM (PKCS 8). */
  readonly privateKeyFile?: string;
  readonly algorithm?: string;
}

export interface McpServerConfig extends ToolRulesConfig {
  readonly id: string;
  readonly origin: Origin;
  readonly transport: TransportConfig;
  /** Whether one agent's session with it may be the next one's. */
  readonly reuse: boolean;
  /** For the model, about this server's tools. */
  readonly instructions: string;
  readonly dataMasking: DataMaskingConfig;
  readonly summarization: SummarizationConfig;
}

/** Which tools of a server only read, and what becomes of the others. `*` in a pattern stands for any text. */
export interface ToolRulesConfig {
  readonly readOnlyTools: readonly string[];
  /** Goes before `readOnlyTools`. */
  readonly changingTools: readonly string[];
  /** Whether a tool that its server declares read-only counts as such. */
  readonly trustAnnotations: boolean;
  /** Whether agents get tools that change something. */
  readonly allowChanges: boolean;
}

export interface DataMaskingConfig {
  readonly enabled: boolean;
  readonly patternGroups: readonly MaskingGroup[];
  readonly patterns: readonly MaskingPattern[];
  readonly customPatterns: readonly CustomPatternConfig[];
}

/** `pattern` compiles with `compilePattern` of regex.ts. */
export interface CustomPatternConfig {
  readonly pattern: string;
  readonly replacement: string;
  readonly description: string;
}

export interface SummarizationConfig {
  readonly enabled: boolean;
  /** Results above this estimate are summarized. */
  readonly sizeThresholdTokens: number;
  readonly summaryMaxTokenLimit: number;
  /** null = `defaults.summarization`, then the agent's. */
  readonly llmProvider: string | null;
}
