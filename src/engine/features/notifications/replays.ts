import type { SlackPoint } from '../../../db/enums.ts';
import type { Queryable } from '../../../db/queryable.ts';
import { type SuiteMeasure, suiteEndedBy } from '../cases/suites.ts';
import { type NotificationDeps, requestSystemNotifications } from './request.ts';
import { NO_PROPERTIES } from './rules.ts';

/** Maximum number of cases that a notification names. */
const MAX_NAMED = 10;

/**
 * Queues the notification about a suite of replays whose last replay ends, if answers are worse than those of the
 * source: one for each team that has such cases, because a team's channel names no case of another team.
 */
export function replayNotifier(deps: NotificationDeps) {
  return async (tx: Queryable, sessionId: string, point: SlackPoint): Promise<void> => {
    if (point !== 'TERMINAL') return;
    const suite = await suiteEndedBy(tx, sessionId);
    if (suite === null) return;
    for (const [team, measures] of Map.groupBy(suite.measures, (measure) => measure.team)) {
      const worse = measures.filter(isWorse);
      if (worse.length === 0) continue;
      const key = `replay.worse:${JSON.stringify([suite.id, team])}`;
      const notice = { text: textOf(worse, measures.length) };
      await requestSystemNotifications(tx, deps, [{ event: 'replay.worse', key, notice }], {
        ...NO_PROPERTIES,
        team,
      });
    }
  };
}

/**
 * True if the replays of a case are worse than its source, from which the expected answer comes: at least half of
 * the decided ones failed, or one was confidently wrong.
 */
function isWorse({ replays }: SuiteMeasure): boolean {
  const { passed, decided } = countsOf(replays);
  return (decided > 0 && passed * 2 <= decided) || replays.some(({ confidentlyWrong }) => confidentlyWrong);
}

function countsOf(replays: SuiteMeasure['replays']): { passed: number; decided: number } {
  const decided = replays.filter(({ passed }) => passed !== null);
  return { passed: decided.filter(({ passed }) => passed).length, decided: decided.length };
}

function textOf(worse: readonly SuiteMeasure[], measured: number): string {
  const head = `${worse.length} of ${measured} ${measured === 1 ? 'case' : 'cases'} answered worse than expected.`;
  const more = worse.length - MAX_NAMED;
  return [head, ...worse.slice(0, MAX_NAMED).map(lineOf), ...(more > 0 ? [`${more} more.`] : [])].join('\n');
}

function lineOf({ caseName, provider, model, replays }: SuiteMeasure): string {
  const { passed, decided } = countsOf(replays);
  const wrong = replays.filter(({ confidentlyWrong }) => confidentlyWrong).length;
  const failed = replays.flatMap(({ passed: isRight, checks }) => (isRight === false ? checks : []));
  const first = failed.find((check) => !check.passed);
  return [
    `- ${caseName} with ${provider} (${model}): ${passed} of ${decided} decided replays passed`,
    ...(wrong > 0 ? [`, ${wrong} confidently wrong`] : []),
    ...(first ? [`; ${first.name}: ${first.detail.slice(0, 200)}`] : []),
  ].join('');
}
