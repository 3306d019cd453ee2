import Box from '@mui/material/Box';
import { Loading } from '../../components/loading.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import type { ClaimKind, PeekSessionQuery } from '../../graphql/gen/documents.ts';
import { PeekSessionDocument } from '../../graphql/gen/lazy-documents.ts';
import { useQuery } from '../../graphql/use-query.ts';
import { plainPreview } from '../../lib/data-text.ts';
import { CLAIM_MARKS } from '../report/claim-marks.ts';

type Claim = NonNullable<NonNullable<PeekSessionQuery['session']>['report']>['claims'][number];

/** The outcome of a session in the list: its conclusion, what to do and the cause. */
export default function SessionPeek({ sessionId }: { sessionId: string }) {
  const [{ data, error }, refetch] = useQuery({ query: PeekSessionDocument, variables: { id: sessionId } });
  if (data === undefined)
    return error ? (
      <ErrorNotice
        what="Could not load this session."
        error={error}
        retry={() => refetch({ requestPolicy: 'network-only' })}
      />
    ) : (
      <Loading label="Loading the outcome" height={72} />
    );
  const { session } = data;
  if (session === null) return <Box>This session no longer exists.</Box>;
  const { report, executiveSummary, errorMessage } = session;
  const conclusion = report?.headline ?? executiveSummary ?? errorMessage ?? '';
  return (
    <Box sx={panel}>
      <Box sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>
        {plainPreview(conclusion, 600) || 'This session has no conclusion.'}
      </Box>
      <Claims title="To do" kind="RECOMMENDATION" claims={report?.claims} />
      <Claims title="Cause" kind="CAUSE" claims={report?.claims} />
    </Box>
  );
}

interface ClaimsProps {
  readonly title: string;
  readonly kind: ClaimKind;
  readonly claims: readonly Claim[] | undefined;
}

function Claims({ title, kind, claims = [] }: ClaimsProps) {
  const shown = claims.filter((claim) => claim.kind === kind);
  if (shown.length === 0) return null;
  return (
    <div>
      <Box sx={{ fontWeight: 600, color: 'text.secondary' }}>{title}</Box>
      <Box component="ul" aria-label={title} sx={{ m: 0, pl: 2.5, overflowWrap: 'anywhere' }}>
        {shown.map(({ id, text, status }) => (
          <li key={id}>
            {text}
            {CLAIM_MARKS[status] === null ? null : (
              <Box component="span" sx={{ ml: 0.75, fontWeight: 600, color: CLAIM_MARKS[status].tone }}>
                {CLAIM_MARKS[status].label}
              </Box>
            )}
          </li>
        ))}
      </Box>
    </div>
  );
}

const panel = {
  display: 'grid',
  gap: 0.75,
  my: 0.5,
  px: 1.5,
  py: 1,
  bgcolor: 'well',
  borderRadius: 1,
  color: 'text.primary',
} as const;
