import type { OnResolve, SourceType } from './enums.ts';
import type { Named } from './named.ts';

/** What happens with alerts that monitoring systems send. */
export interface IntakeConfig {
  readonly sources: Named<SourceConfig>;
  /** In the order of the file: the first that matches an alert goes for it. */
  readonly rules: readonly IntakeRule[];
  readonly storm: StormConfig;
  /** Null = no alert of its own is sent. */
  readonly canary: CanaryConfig | null;
  /** How long an alert may go untold of before it counts as over; longer for those that are told of seldom. */
  readonly staleAfterMs: number;
}

/** When many groups of one source are too many. */
export interface StormConfig {
  readonly groups: number;
  readonly withinMs: number;
  /** How long the session about them waits for more. */
  readonly waitMs: number;
}

/** The alert that a process sends to itself. */
export interface CanaryConfig {
  readonly everyMs: number;
  /** By when its investigation is to have ended. */
  readonly withinMs: number;
  /** Null = the default one. */
  readonly alertType: string | null;
}

/** One sender. */
export interface SourceConfig extends SourceProof {
  readonly name: string;
  readonly type: SourceType;
  /** Of alerts for which no rule says another; null = the default one. */
  readonly alertType: string | null;
  /** CloudWatch: whether an alarm without data is an alert. */
  readonly insufficientData: 'ignore' | 'fire';
  /** Of type generic: where the parts of an alert stand; null = in the keys of our own templates. */
  readonly mapping: GenericMapping | null;
}

/** How deliveries of a source prove themselves: each of these that is set must hold. All empty = they need not. */
export interface SourceProof {
  /** Any of them. */
  readonly tokens: readonly string[];
  /** Also API tokens with the scope SUBMIT_ALERTS, in a header. */
  readonly apiTokens: boolean;
  /** Lower-case header that carries the token; null = Authorization. */
  readonly tokenHeader: string | null;
  /** Whether a token in the address is taken. */
  readonly tokensInUrl: boolean;
  readonly basic: { readonly username: string; readonly passwords: readonly string[] } | null;
  readonly signature: SignatureConfig | null;
  /** Topics of SNS whose signed messages are taken; null = the source has none. */
  readonly topicArns: readonly string[] | null;
}

/** HMAC-SHA256 over the body. */
export interface SignatureConfig {
  /** Any of them. */
  readonly secrets: readonly string[];
  /** Lower-case. */
  readonly header: string;
  /** Lower-case header of the signed Unix time in seconds; null = no time is signed. */
  readonly timestampHeader: string | null;
}

/** Steps into JSON: names, indexes, `*` for every item of a list. */
export type FieldPath = readonly (string | number)[];

/** Paths as they are written, such as `$.items[*]`; what is null is in the keys of our own templates. */
export interface GenericMapping extends Readonly<Record<AlertPart, string | null>> {
  /** Where the alerts are; null = the body, or each item of it. */
  readonly alerts: string | null;
  /** Of a mapping, or of each label. */
  readonly labels: string | Readonly<Record<string, string>> | null;
  readonly annotations: string | Readonly<Record<string, string>> | null;
  /** Words of the state that mean that it is over; null = the usual ones. */
  readonly resolvedValues: readonly string[] | null;
}

/** Parts of an alert that a path leads to from the alert on. */
export type AlertPart =
  | 'title'
  | 'severity'
  | 'state'
  | 'fingerprint'
  | 'group'
  | 'episode'
  | 'startsAt'
  | 'endsAt'
  | 'url';

/** What goes for alerts that match. Null = as without the rule. */
export interface IntakeRule {
  readonly name: string;
  /** In Alertmanager's syntax. */
  readonly match: readonly string[];
  readonly alertType: string | null;
  readonly team: string | null;
  readonly severity: string | null;
  readonly groupBy: readonly string[] | null;
  readonly groupWaitMs: number | null;
  readonly reinvestigateAfterMs: number | null;
  readonly investigate: 'never' | null;
  /** Whether the alert is a sign of life. */
  readonly isCanary: boolean;
  /** How long that may stay away. */
  readonly canaryWithinMs: number;
  readonly onResolve: OnResolve;
  readonly investigateResolved: boolean;
}
