import { createProblem, type Problem } from './problems.ts';
import { extractTimes, type ParsedTime, parseEpochTime } from './times.ts';
import type { Claim, VerifiedFact } from './types.ts';

/**
 * Checks that the cause of a claim is not later than its effect, by the times that its facts state. The times must stand
 * in the cited outputs, which the verification of the facts checks.
 * @returns `null` if the order holds or the claim does not name both ends
 */
export function findOrderProblem(
  { kind, because, facts }: Claim,
  verified: readonly VerifiedFact[],
): Problem | null {
  if (kind !== 'CAUSE' || !because) return null;
  const ends = [because.cause, because.effect].map((index) =>
    verified[index]?.status === 'SUPPORTED' ? rangeOf(facts[index]!.value) : null,
  );
  const [cause, effect] = ends;
  if (!cause || !effect || cause.hasZone !== effect.hasZone) return createProblem('ORDER_NOT_CHECKED');
  if (cause.from < effect.to) return null;
  return createProblem('CAUSE_AFTER_EFFECT', [facts[because.cause]!.value, facts[because.effect]!.value]);
}

/** A time as precise as the text states it: from `from` until before `to` (ms since 1970). */
interface Range {
  from: number;
  to: number;
  hasZone: boolean;
}

/** Returns the time that a value states; `null` without a date and a year, because its order is then not certain. */
function rangeOf(value: string): Range | null {
  const time: ParsedTime | null = parseEpochTime(value.trim()) ?? extractTimes(value)[0] ?? null;
  if (!time?.date || time.date.year === null) return null;
  const { year, month, day } = time.date;
  const [hours = '0', minutes = '0', seconds] = time.clock?.split(':') ?? [];
  const zone = time.clock === null ? 0 : (time.zone ?? 0);
  const midnight = Date.UTC(year, month - 1, day);
  const from = midnight + ((Number(hours) * 60 + Number(minutes) - zone) * 60 + Number(seconds ?? 0)) * 1000;
  const fraction = seconds?.split('.')[1] ?? '';
  const precision =
    time.clock === null ? DAY_MS : seconds === undefined ? 60_000 : 1000 / 10 ** fraction.length;
  return { from, to: from + precision, hasZone: time.zone !== null };
}

const DAY_MS = 86_400_000;
