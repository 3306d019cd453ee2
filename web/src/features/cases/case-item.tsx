import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { useMutation } from 'urql';
import { ActionButton } from '../../components/action-button.tsx';
import { refusalText } from '../../components/notice.tsx';
import { StatusDot } from '../../components/status-chip.tsx';
import { Ago } from '../../components/time.tsx';
import type { CaseItemFragment, ReplayRowFragment } from '../../graphql/gen/documents.ts';
import { ReplayCaseDocument } from '../../graphql/gen/lazy-documents.ts';
import { sessionPath } from '../../lib/paths.ts';
import { Link as RouterLink } from '../../lib/router.tsx';
import type { StatusTone } from '../../theme.ts';
import { VERDICTS } from '../report/verdict.tsx';

interface Props {
  readonly case: CaseItemFragment;
  readonly changed: () => void;
}

export const isRunning = ({ status }: Pick<ReplayRowFragment, 'status'>): boolean =>
  status === 'PENDING' || status === 'RUNNING';

/** One case: content, expectation, latest replays. */
export function CaseItem({ case: one, changed }: Props) {
  const [{ fetching, data, error }, replay] = useMutation(ReplayCaseDocument);
  const { id, name, world, alertType, recordedCalls, createdBy, createdAt, sourceSession, replays } = one;
  const refusal = refusalText(data?.replayCase, error);
  const start = async (): Promise<void> => {
    await replay({ input: { caseId: id } });
    changed();
  };
  return (
    <Box component="li" sx={{ px: 1.5, py: 1.25, fontSize: '0.8125rem' }}>
      <Box sx={{ display: 'flex', alignItems: 'start', gap: 1.5 }}>
        <Box sx={{ flex: 1, minWidth: 0 }}>
          <Box component="h2" sx={{ m: 0, fontSize: '0.875rem', fontWeight: 600, overflowWrap: 'anywhere' }}>
            {name}
          </Box>
          <Box sx={quiet}>
            {alertType} · {recordedCalls} recorded {recordedCalls === 1 ? 'call' : 'calls'} ·{' '}
            {world === 'OPEN' ? 'open world' : 'closed world'} · made by {createdBy} <Ago time={createdAt} />
            {sourceSession === null ? null : (
              <>
                {' from '}
                <Link component={RouterLink} to={sessionPath(sourceSession.id)}>
                  {sourceSession.title}
                </Link>
              </>
            )}
          </Box>
          <Box sx={quiet}>Expects {expectationText(one)}.</Box>
        </Box>
        <ActionButton
          needs="REVIEW"
          variant="outlined"
          aria-label={`Replay ${name}`}
          loading={fetching}
          onClick={() => void start()}
        >
          Replay
        </ActionButton>
      </Box>
      {refusal === null ? null : (
        <Box role="alert" sx={{ mt: 0.5, color: 'error.main' }}>
          {refusal}
        </Box>
      )}
      {replays.nodes.length === 0 ? null : (
        <Box
          component="ul"
          aria-label={`Replays of ${name}`}
          sx={{ m: 0, mt: 0.75, p: 0, listStyle: 'none' }}
        >
          {replays.nodes.map((row) => (
            <ReplayRow key={row.id} replay={row} />
          ))}
        </Box>
      )}
      {replays.totalCount > replays.nodes.length ? (
        <Box sx={quiet}>{replays.totalCount - replays.nodes.length} older replays</Box>
      ) : null}
    </Box>
  );
}

function ReplayRow({ replay }: { replay: ReplayRowFragment }) {
  const { provider, model, createdAt, session, unrecordedCalls, costUsd, checks, agreement } = replay;
  const { label, tone } = resultOf(replay);
  const failed = checks.filter((check) => !check.passed).map(({ name, detail }) => `${name}: ${detail}`);
  const facts = [
    `${provider} (${model})`,
    ...(agreement === null
      ? []
      : [
          agreement.agreeing === agreement.runs
            ? 'same cause as the source'
            : 'another cause than the source',
        ]),
    ...(unrecordedCalls > 0 ? [`${unrecordedCalls} unrecorded`] : []),
    ...(costUsd === null || costUsd === 0 ? [] : [`$${costUsd.toFixed(4)}`]),
  ];
  return (
    <Box component="li" sx={{ py: 0.25, overflowWrap: 'anywhere' }}>
      <Box sx={{ display: 'inline-flex', alignItems: 'center', gap: 0.75, fontWeight: 600 }}>
        <StatusDot tone={tone} />
        {session === null ? (
          label
        ) : (
          <Link component={RouterLink} to={sessionPath(session.id)}>
            {label}
          </Link>
        )}
      </Box>{' '}
      {facts.join(' · ')} · <Ago time={createdAt} />
      {failed.length === 0 ? null : <Box sx={{ ...quiet, pl: 2 }}>{failed.join('; ')}</Box>}
    </Box>
  );
}

function resultOf(replay: ReplayRowFragment): { label: string; tone: StatusTone } {
  if (isRunning(replay)) return { label: 'Running', tone: 'running' };
  if (replay.confidentlyWrong) return { label: 'Confidently wrong', tone: 'failed' };
  if (replay.passed === null) return { label: 'Inconclusive', tone: 'late' };
  return replay.passed ? { label: 'Passed', tone: 'done' } : { label: 'Failed', tone: 'failed' };
}

function expectationText({ expectation }: CaseItemFragment): string {
  const { verdict, mustSay, mustNotSay, entities, cause } = expectation;
  const parts = [
    ...(verdict === null ? [] : [`the verdict “${VERDICTS[verdict].label}”`]),
    ...(cause === null ? [] : [`the cause “${cause}”`]),
    ...(entities.length === 0 ? [] : [entities.join(', ')]),
    ...mustSay.map((pattern) => `“${pattern}”`),
    ...mustNotSay.map((pattern) => `not “${pattern}”`),
  ];
  return parts.length === 0 ? 'only a report' : parts.join(', ');
}

const quiet = { mt: 0.25, color: 'text.secondary', overflowWrap: 'anywhere' } as const;
