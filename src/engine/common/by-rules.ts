interface Outcome {
  verdict?: string | null | undefined;
  confidence?: number | null | undefined;
}

/** True if a session's report comes from the offline rules: only such a report leaves the session without confidence. */
export function isByRules({ verdict, confidence }: Outcome): boolean {
  return verdict != null && confidence === null;
}
