import { StatusChip } from '../../components/status-chip.tsx';
import type { SessionStatus, VerdictKind } from '../../graphql/gen/documents.ts';
import { statusLook } from '../../theme.ts';
import { VERDICTS, VerdictChip } from './verdict.tsx';

interface Outcome {
  readonly status: SessionStatus;
  readonly report: { readonly verdict: VerdictKind } | null;
}

/** Shows a session's verdict; its status if there is no verdict, or if the session did not complete. */
export function OutcomeChip({ session: { status, report } }: { session: Outcome }) {
  return (
    <>
      {report === null ? null : <VerdictChip verdict={report.verdict} />}
      {report === null || status !== 'COMPLETED' ? <StatusChip status={status} /> : null}
    </>
  );
}

/** Returns a session's verdict in words; its status if there is no verdict. */
export function outcomeText({ status, report }: Outcome): string {
  return report === null || status !== 'COMPLETED'
    ? statusLook[status].label
    : VERDICTS[report.verdict].label;
}
