import { useRef, useState } from 'react';
import { useClient } from 'urql';
import { errorText } from '../../components/notice.tsx';
import { useViewer } from '../../components/use-viewer.ts';
import type { BoardCardFragment } from '../../graphql/gen/documents.ts';
import { ReviewOnBoardDocument } from '../../graphql/gen/lazy-documents.ts';
import { type BoardAction, reviewState, toReviewChange, undoChanges } from './board-action.ts';
import { RATINGS } from './review-labels.ts';
import type { ReviewChange } from './use-review.ts';

/** Maximum number of sessions per request, as in the API. */
const MAX_SESSIONS_PER_REQUEST = 50;

export interface ActionOutcome {
  readonly text: string;
  /** The server's reasons for refusing sessions, without duplicates. */
  readonly refusals: readonly string[];
  /** Undoes the last action; `null` if that is impossible. */
  readonly undo: (() => Promise<void>) | null;
}

/** Result of an action: the ids of the changed sessions, and why the server refused the others. */
interface ActionResult {
  readonly done: ReadonlySet<string>;
  readonly refusals: readonly string[];
}

interface Step {
  readonly ids: readonly string[];
  readonly change: ReviewChange;
}
type Answer = { readonly review: BoardCardFragment['review'] } | { readonly refusal: string };

/** Provides actions on the reviews of several sessions, and an undo of the last one. */
export function useBoardActions(cards: readonly BoardCardFragment[], refetch: () => Promise<void>) {
  const client = useClient();
  const viewer = useViewer();
  // Without sign-in, TARSy cannot distinguish viewers, so every reviewer counts as the viewer.
  const isMe = (name: string | null): boolean => viewer === null || viewer.name === name;
  const [outcome, setOutcome] = useState<ActionOutcome | null>(null);
  const [busy, setBusy] = useState(false);
  const currentCards = useRef(cards);
  currentCards.current = cards;

  const send = async ({ ids, change }: Step): Promise<Map<string, Answer>> => {
    const answers = new Map<string, Answer>();
    for (let from = 0; from < ids.length; from += MAX_SESSIONS_PER_REQUEST) {
      const sessionIds = ids.slice(from, from + MAX_SESSIONS_PER_REQUEST);
      const { data, error } = await client
        .mutation(ReviewOnBoardDocument, { input: { sessionIds, ...change } })
        .toPromise();
      for (const [index, id] of sessionIds.entries()) {
        const result = data?.reviewSessions[index];
        if (result?.__typename === 'ReviewSessionSuccess') answers.set(id, { review: result.session.review });
        else
          answers.set(id, {
            refusal: result?.message ?? (error === undefined ? 'The change failed.' : errorText(error)),
          });
      }
    }
    return answers;
  };
  const sendAll = async (steps: readonly Step[]): Promise<Map<string, Answer>> => {
    const all = new Map<string, Answer>();
    for (const step of steps) {
      // A session that the server refused in one step is left out of the later steps.
      const ids = step.ids.filter((id) => !isRefused(all.get(id)));
      for (const [id, answer] of await send({ ...step, ids })) all.set(id, answer);
    }
    return all;
  };
  const runAction = async (work: () => Promise<ActionOutcome>): Promise<void> => {
    setBusy(true);
    try {
      const next = await work();
      await refetch();
      setOutcome(next);
    } finally {
      setBusy(false);
    }
  };

  const act = async (chosen: readonly BoardCardFragment[], action: BoardAction): Promise<ActionResult> => {
    let result: ActionResult = { done: new Set(), refusals: [] };
    await runAction(async () => {
      const answers = await sendAll(
        groupChanges(chosen.map((card) => ({ id: card.id, change: toReviewChange(card, action) }))),
      );
      const done = chosen.filter(({ id }) => !isRefused(answers.get(id)));
      const refusals = distinctRefusals(answers);
      result = { done: new Set(done.map(({ id }) => id)), refusals };
      const stateAfter = new Map(done.map(({ id }) => [id, reviewState(answeredReview(answers.get(id)))]));
      const undoable = done.flatMap((card) => {
        const changes = undoChanges(card, action, isMe);
        return changes === null ? [] : [{ id: card.id, changes }];
      });
      const undo = (): Promise<void> =>
        runAction(async () => {
          const unchanged = undoable.filter(({ id }) => {
            const card = currentCards.current.find((each) => each.id === id);
            return card === undefined || reviewState(card.review) === stateAfter.get(id);
          });
          const back = await sendAll([
            ...groupChanges(unchanged.map(({ id, changes }) => ({ id, change: changes[0]! }))),
            ...groupChanges(
              unchanged.flatMap(({ id, changes }) =>
                changes[1] === undefined ? [] : [{ id, change: changes[1] }],
              ),
            ),
          ]);
          const undone = unchanged.filter(({ id }) => !isRefused(back.get(id))).length;
          const changed = undoable.length - unchanged.length;
          return {
            text: `${countText(undone)} restored.`,
            refusals: [
              ...distinctRefusals(back),
              ...(changed === 0
                ? []
                : [`${countText(changed)} not restored, because another reviewer changed them.`]),
            ],
            undo: null,
          };
        });
      return {
        text: `${countText(done.length)} ${actionText(action)}.`,
        refusals,
        undo: undoable.length === 0 ? null : undo,
      };
    });
    return result;
  };
  return { act, outcome, busy, dismiss: () => setOutcome(null) };
}

const isRefused = (answer: Answer | undefined): boolean => answer !== undefined && 'refusal' in answer;
const answeredReview = (answer: Answer | undefined): BoardCardFragment['review'] =>
  answer !== undefined && 'review' in answer ? answer.review : null;
const distinctRefusals = (answers: ReadonlyMap<string, Answer>): readonly string[] => [
  ...new Set([...answers.values()].flatMap((answer) => ('refusal' in answer ? [answer.refusal] : []))),
];

/** Groups sessions with equal changes into one step, because a request applies one change to several sessions. */
function groupChanges(asked: readonly { id: string; change: ReviewChange }[]): readonly Step[] {
  const groups = Map.groupBy(asked, ({ change }) => JSON.stringify(change));
  return [...groups.values()].map((group) => ({ ids: group.map(({ id }) => id), change: group[0]!.change }));
}

const countText = (count: number): string => (count === 1 ? '1 review' : `${count} reviews`);

function actionText(action: BoardAction): string {
  switch (action.kind) {
    case 'CLAIM':
      return 'assigned to you';
    case 'UNCLAIM':
      return 'unassigned';
    case 'ACKNOWLEDGE':
      return 'closed without rating';
    case 'REOPEN':
      return 'reopened';
    case 'RATE':
      return `rated: ${RATINGS[action.rating].label}`;
  }
}
