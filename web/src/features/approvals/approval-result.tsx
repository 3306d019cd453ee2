import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { CodeBlock } from '../../components/code-block.tsx';
import { Loading } from '../../components/loading.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import type { ApprovalItemFragment, ApprovalStatus } from '../../graphql/gen/documents.ts';
import { ApprovalResultDocument } from '../../graphql/gen/lazy-documents.ts';
import { useQuery } from '../../graphql/use-query.ts';
import { formatCount } from '../../lib/format.ts';
import { sessionPath } from '../../lib/paths.ts';
import { Link as RouterLink } from '../../lib/router.tsx';

// Statuses of calls that have ended, although perhaps without a known result.
const ENDED: ReadonlySet<ApprovalStatus> = new Set(['EXECUTED', 'FAILED', 'OUTCOME_UNKNOWN']);

/** Shows the beginning of an approved call's result, with a link to the call in its session. */
export function ApprovalResult({ approval: { id, status, session } }: { approval: ApprovalItemFragment }) {
  const isEnded = ENDED.has(status);
  const [{ data, error }, execute] = useQuery({
    query: ApprovalResultDocument,
    variables: { id },
    pause: !isEnded,
    requestPolicy: 'network-only',
  });
  if (!isEnded) return null;
  if (data === undefined)
    return error === undefined ? (
      <Loading label="Loading the result" height={38} />
    ) : (
      <ErrorNotice
        what="Could not load the result."
        error={error}
        retry={() => execute({ requestPolicy: 'network-only' })}
      />
    );
  const call = data.node?.__typename === 'Approval' ? data.node.toolCall : null;
  if (call === null) return <div>The call was not made.</div>;
  const { output, sequenceNumber } = call;
  const isCut = output !== null && output.length > output.text.length;
  return (
    <Box sx={{ display: 'grid', gap: 0.5, minWidth: 0 }}>
      <Box sx={{ fontWeight: 600 }}>Result</Box>
      {output === null ? (
        <div>No result was stored.</div>
      ) : (
        <CodeBlock label="Result" text={output.text} maxHeight={240} />
      )}
      <div>
        {isCut
          ? `The first ${formatCount(output.text.length)} of ${formatCount(output.length)} characters. `
          : null}
        <Link component={RouterLink} to={`${sessionPath(session.id)}#event-${sequenceNumber}`}>
          Open the call in its investigation
        </Link>
      </div>
    </Box>
  );
}
