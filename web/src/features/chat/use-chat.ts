import { useCallback, useState } from 'react';
import { useMutation } from 'urql';
import { errorText } from '../../components/notice.tsx';
import { CancelSessionDocument, type ChatQuestionFragment } from '../../graphql/gen/documents.ts';
import { SendChatMessageDocument } from '../../graphql/gen/lazy-documents.ts';
import { useDraftState } from '../../lib/use-draft-state.ts';

/** A question that the server has not accepted yet. */
export interface PendingQuestion {
  readonly content: string;
  readonly askedAt: string;
  /** Number of questions that the page showed when this one was sent. */
  readonly shownBefore: number;
}

export interface Chat {
  readonly draft: string;
  readonly setDraft: (text: string) => void;
  readonly pending: PendingQuestion | null;
  /** Reason why the last question was refused or the answer could not be stopped; `null` if neither happened. */
  readonly problem: string | null;
  readonly stopping: boolean;
  /** Sends the draft. Call it only for a draft with text, while no other question is pending. */
  readonly send: () => void;
  readonly stop: () => void;
}

/**
 * Sends questions about a session and stops answers. A question is shown at once; a refused one returns to the input
 * field. `shown` is the number of questions that the page shows. `onAccepted` receives the question as the server
 * stored it.
 */
export function useChat(
  sessionId: string,
  shown: number,
  onAccepted: (question: ChatQuestionFragment) => void,
): Chat {
  const [draft, setDraft] = useDraftState(`question.${sessionId}`, '');
  const [pending, setPending] = useState<PendingQuestion | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [, ask] = useMutation(SendChatMessageDocument);
  const [{ fetching: stopping }, cancel] = useMutation(CancelSessionDocument);

  const send = useCallback(async () => {
    const content = draft;
    setPending({ content, askedAt: new Date().toISOString(), shownBefore: shown });
    setDraft('');
    setProblem(null);
    const { data, error } = await ask({ input: { sessionId, content } });
    const result = data?.sendChatMessage;
    if (result?.__typename === 'SendChatMessageSuccess') onAccepted(result.chatMessage);
    else {
      setDraft((typed) => (typed === '' ? content : typed));
      setProblem(problemText(result, error && errorText(error)));
    }
    setPending(null);
  }, [draft, setDraft, ask, sessionId, shown, onAccepted]);

  const stop = useCallback(async () => {
    const { data, error } = await cancel({ id: sessionId });
    const result = data?.cancelSession;
    const stopped = result?.__typename === 'CancelSessionSuccess';
    // If the answer ended before the stop request arrived, the viewer needs no error.
    const ended = result?.__typename === 'ConflictError';
    setProblem(stopped || ended ? null : problemText(result, error && errorText(error)));
  }, [cancel, sessionId]);

  return {
    draft,
    setDraft,
    pending,
    problem,
    stopping,
    send: () => void send(),
    stop: () => void stop(),
  };
}

function problemText(result: object | undefined, error: string | undefined): string {
  if (result !== undefined && 'message' in result) return String(result.message);
  return error ?? 'The server did not accept the question.';
}
