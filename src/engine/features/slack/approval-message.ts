import { visibleJson } from '../../../common/visible-json.ts';
import type { ApprovalDecisionRow, ApprovalRow } from '../../../db/entities/index.ts';
import { APPROVAL_STATUS_MEANINGS, type ApprovalStatus } from '../../../db/enums.ts';
import { toOneLine } from '../../prompt-text/untrusted.ts';
import { type Block, type Button, blockText, escapeText, formatted, plain, section } from './text.ts';

/** Action ids of the buttons on messages. */
export const APPROVE_ACTION = 'tarsy_approve';
export const DENY_ACTION = 'tarsy_deny';

export interface ApprovalView {
  approval: ApprovalRow;
  decisions: readonly Pick<ApprovalDecisionRow, 'actor' | 'approved'>[];
}

/** Maximum UTF-16 code units of the shown arguments. Longer ones cannot be approved in Slack. */
const MAX_ARGUMENTS = 2_500;
const MAX = { name: 200, reason: 600, dryRun: 1_200, actor: 200 };

/**
 * Returns the blocks about a call that needs approval, with buttons while it waits. A call can be approved in Slack only
 * if the message shows its complete arguments; otherwise the message says why and links to the page.
 */
export function approvalBlocks({ approval, decisions }: ApprovalView, dashboardUrl: string): Block[] {
  const {
    id,
    sessionId,
    argumentsHash,
    server,
    tool,
    reason,
    dryRun,
    status,
    requiredApprovals,
    provenance,
  } = approval;
  const call = blockText(toOneLine(`${server}.${tool}`, MAX.name), MAX.name * 2, '…');
  const shown = visibleJson(approval.arguments);
  const why = whyNotHere(approval, shown);
  const isOpen = status === 'PENDING';
  const link = (path: string, text: string) => `<${escapeText(`${dashboardUrl}/${path}`)}|${text}>`;
  const links = `${link('approvals', 'Open the approvals')} · ${link(`sessions/${sessionId}`, 'Open the investigation')}`;
  const untrusted = provenance.filter(({ isUntrusted }) => isUntrusted).length;
  const notes = [
    `Needs ${requiredApprovals === 1 ? 'one approval' : `${requiredApprovals} approvals`}.`,
    ...(untrusted > 0
      ? [`${untrusted === 1 ? '1 value comes' : `${untrusted} values come`} from untrusted results only.`]
      : []),
    ...(isOpen && why !== null ? [why] : []),
  ];
  return [
    section(formatted(isOpen ? ':raised_hand: *Approval Needed*' : ':ballot_box_with_check: *Approval*')),
    section(plain(`Call: ${call}`)),
    section(plain(blockText(shown, MAX_ARGUMENTS))),
    ...(reason ? [section(plain(`Reason of the agent: ${blockText(reason, MAX.reason, '…')}`))] : []),
    ...(dryRun ? [section(plain(`Dry run: ${blockText(dryRun, MAX.dryRun, '…')}`))] : []),
    section(plain(notes.join(' '))),
    ...decisions.map(({ actor, approved }) =>
      section(plain(`${approved ? 'Approved' : 'Denied'} by ${blockText(actor, MAX.actor, '…')}`)),
    ),
    ...(isOpen
      ? [{ type: 'actions', elements: buttons(`${id}:${argumentsHash}`, call, why === null) } as const]
      : [section(plain(`${status}: ${APPROVAL_STATUS_MEANINGS[status as ApprovalStatus]}`))]),
    section(formatted(links)),
  ];
}

/** Returns why the call cannot be approved in Slack; `null` if it can. */
export function whyNotHere({ sealedArguments }: ApprovalRow, shown: string): string | null {
  if (sealedArguments != null) return 'Some arguments are masked, so approve it on the page.';
  return blockText(shown, Number.MAX_SAFE_INTEGER).length > MAX_ARGUMENTS
    ? 'The arguments are too long to show here, so approve it on the page.'
    : null;
}

function buttons(value: string, call: string, mayApprove: boolean): Button[] {
  const button = (word: 'Approve' | 'Deny', action: string, style: 'primary' | 'danger'): Button => ({
    type: 'button',
    text: plain(word),
    action_id: action,
    value,
    style,
    confirm: {
      title: plain(`${word} this call?`),
      text: plain(`${word} ${call} with exactly the arguments of this message.`.slice(0, 300).toWellFormed()),
      confirm: plain(word),
      deny: plain('Back'),
    },
  });
  return [
    ...(mayApprove ? [button('Approve', APPROVE_ACTION, 'primary')] : []),
    button('Deny', DENY_ACTION, 'danger'),
  ];
}
