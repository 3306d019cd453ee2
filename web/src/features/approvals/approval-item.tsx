import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import type { ReactNode } from 'react';
import { AiMark } from '../../components/ai-mark.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { StatusDot } from '../../components/status-chip.tsx';
import { Ago, TimeLeft } from '../../components/time.tsx';
import type { ApprovalItemFragment } from '../../graphql/gen/documents.ts';
import { sessionPath } from '../../lib/paths.ts';
import { Link as RouterLink } from '../../lib/router.tsx';
import { visibleJson } from '../../lib/visible-json.ts';
import { mono } from '../../theme.ts';
import { APPROVAL_STATUSES } from './approval-labels.ts';
import { Decide } from './decide.tsx';
import { Provenance } from './provenance.tsx';

interface Props {
  readonly approval: ApprovalItemFragment;
  readonly changed: () => void;
  /** True if the item names its investigation, which is unnecessary on the investigation's own page. */
  readonly showsSession?: boolean;
  /** True if the call no longer waits although `approval` may still have the status PENDING. */
  readonly isOver?: boolean;
  /** Shown after the decisions, such as the result of the call. */
  readonly children?: ReactNode;
}

/** Shows a tool call that needs approval: its arguments, the origin of their values, decisions made, and buttons to decide. */
export function ApprovalItem({ approval, changed, showsSession = false, isOver = false, children }: Props) {
  const { status, server, tool, reason, policy, dryRun, session, execution, timelineEvent } = approval;
  const { label, tone } = APPROVAL_STATUSES[status];
  return (
    <Box sx={{ display: 'grid', gap: 1, minWidth: 0, fontSize: '0.8125rem' }}>
      <Box sx={head}>
        <Box component="span" sx={{ fontFamily: mono, fontWeight: 600, overflowWrap: 'anywhere' }}>
          {server}.{tool}
        </Box>
        <Box
          component="span"
          sx={{ display: 'inline-flex', alignItems: 'center', gap: 0.5, fontWeight: 600 }}
        >
          <StatusDot tone={tone} />
          {label}
        </Box>
        <Box component="span" sx={{ color: 'text.secondary' }}>
          requested <Ago time={approval.requestedAt} />
          {status === 'PENDING' ? (
            <>
              , <TimeLeft until={approval.expiresAt} /> left
            </>
          ) : null}
        </Box>
      </Box>
      {showsSession ? (
        <Box sx={{ overflowWrap: 'anywhere' }}>
          Investigation:{' '}
          <Link
            component={RouterLink}
            to={`${sessionPath(session.id)}#event-${timelineEvent.sequenceNumber}`}
          >
            {session.title ?? 'Untitled'}
          </Link>
          , requested by {execution.agentName}
        </Box>
      ) : null}
      <Box sx={{ overflowWrap: 'anywhere', '&::first-letter': { textTransform: 'uppercase' } }}>{policy}</Box>
      {status === 'PENDING' && session.resolvedAt ? (
        <Alert severity="warning">
          The alert resolved <Ago time={session.resolvedAt} />. Check whether this call is still needed.
        </Alert>
      ) : null}
      {reason === null ? null : (
        <Box sx={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          <AiMark /> {reason}
        </Box>
      )}
      <CodeBlock label="Arguments" text={visibleJson(approval.arguments)} maxHeight={240} />
      {dryRun === null ? null : (
        <Box sx={{ minWidth: 0 }}>
          <Box sx={{ mb: 0.5, fontWeight: 600 }}>Dry run result</Box>
          <CodeBlock label="Dry run result" text={dryRun} maxHeight={240} />
        </Box>
      )}
      <Provenance approval={approval} />
      <Decisions approval={approval} />
      {approval.errorMessage === null ? null : (
        <Box sx={{ color: 'status.failed', overflowWrap: 'anywhere' }}>{approval.errorMessage}</Box>
      )}
      {children}
      {status === 'PENDING' && !isOver ? <Decide approval={approval} changed={changed} /> : null}
    </Box>
  );
}

function Decisions({ approval: { decisions, requiredApprovals, status } }: Pick<Props, 'approval'>) {
  const approved = decisions.filter((decision) => decision.approved).length;
  const isOpen = status === 'PENDING' && requiredApprovals > 1;
  if (decisions.length === 0 && !isOpen) return null;
  return (
    <Box component="ul" aria-label="Decisions" sx={{ m: 0, p: 0, listStyle: 'none' }}>
      {decisions.map(({ at, actor, approved: yes, comment }) => (
        <Box component="li" key={`${at} ${actor}`} sx={{ overflowWrap: 'anywhere' }}>
          {yes ? 'Approved' : 'Denied'} by {actor}, <Ago time={at} />
          {comment === null ? null : `: ${comment}`}
        </Box>
      ))}
      {isOpen ? (
        <li>
          {approved} of {requiredApprovals} approvals given.
        </li>
      ) : null}
    </Box>
  );
}

const head = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'baseline',
  columnGap: 1.5,
  rowGap: 0.25,
} as const;
