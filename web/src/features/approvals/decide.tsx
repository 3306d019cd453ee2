import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { useMutation } from 'urql';
import { DeniedButton } from '../../components/action-button.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { refusalText } from '../../components/notice.tsx';
import { type ApprovalItemFragment, DecideApprovalDocument } from '../../graphql/gen/documents.ts';
import { useDraftState } from '../../lib/use-draft-state.ts';
import { visibleJson } from '../../lib/visible-json.ts';

const MAX_LENGTH = 2000;

const NO_RIGHT = 'You cannot decide on calls to this tool. Approvers are configured in access.approvers.';

interface Props {
  readonly approval: ApprovalItemFragment;
  readonly changed: () => void;
}

/** Approves or denies a call as shown. The server refuses the decision if the call's arguments have changed. */
export function Decide({ approval, changed }: Props) {
  const [comment, setComment] = useDraftState(`approval.${approval.id}`, '');
  const [{ fetching, data, error }, decide] = useMutation(DecideApprovalDocument);
  const result = data?.decideApproval;
  const refusal = refusalText(result, error);
  const { id, argumentsHash, server, tool } = approval;
  const name = `${server}.${tool}`;
  const [asking, setAsking] = useState(false);
  if (result?.__typename === 'DecideApprovalSuccess') return null; // the parent component shows the outcome
  if (!approval.mayDecide)
    return (
      <Box sx={buttons}>
        <DeniedButton variant="outlined" why={NO_RIGHT} aria-label={`Approve ${name}`}>
          Approve
        </DeniedButton>
      </Box>
    );
  const given = approval.decisions.filter(({ approved }) => approved).length;
  const isLast = given + 1 >= approval.requiredApprovals;
  const send = async (approve: boolean): Promise<void> => {
    setAsking(false);
    await decide({ input: { id, argumentsHash, approve, comment: comment.trim() || null } });
    changed(); // also after a refusal, because another approver may have decided first
  };
  return (
    <Box sx={{ display: 'grid', gap: 1, mt: 0.75 }}>
      <TextField
        label={`Comment on ${name}`}
        placeholder="Sent to the agent if you deny the call"
        value={comment}
        onChange={(event) => setComment(event.target.value)}
        multiline
        maxRows={6}
        slotProps={{ htmlInput: { maxLength: MAX_LENGTH }, inputLabel: { shrink: true } }}
      />
      {refusal === undefined ? null : <Alert severity="warning">{refusal}</Alert>}
      <Box sx={buttons}>
        <Button
          variant="contained"
          disabled={fetching}
          aria-label={`Approve ${name}`}
          onClick={() => setAsking(true)}
        >
          Approve
        </Button>
        <Button
          variant="outlined"
          color="error"
          disabled={fetching}
          aria-label={`Deny ${name}`}
          onClick={() => void send(false)}
        >
          Deny
        </Button>
      </Box>
      {asking ? (
        <ConfirmDialog
          title={`Run ${name}?`}
          refusal={undefined}
          no="Not yet"
          yes={isLast ? 'Approve and run' : 'Approve'}
          sending={fetching}
          confirm={() => void send(true)}
          close={() => setAsking(false)}
        >
          <Box sx={{ mb: 1, overflowWrap: 'anywhere' }}>
            {isLast ? 'The call runs at once' : 'The call runs after the remaining approvals'}, exactly with
            these arguments, for “{approval.session.title}”.
          </Box>
          <CodeBlock label="Arguments of the call" text={visibleJson(approval.arguments)} maxHeight={320} />
        </ConfirmDialog>
      ) : null}
    </Box>
  );
}

const buttons = { display: 'flex', gap: 1 } as const;
