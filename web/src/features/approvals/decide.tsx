import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { useMutation } from 'urql';
import { DeniedButton } from '../../components/action-button.tsx';
import { refusalText } from '../../components/notice.tsx';
import { type ApprovalItemFragment, DecideApprovalDocument } from '../../graphql/gen/documents.ts';
import { useDraftState } from '../../lib/use-draft-state.ts';

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
  if (result?.__typename === 'DecideApprovalSuccess') return null; // the parent component shows the outcome
  if (!approval.mayDecide)
    return (
      <Box sx={buttons}>
        <DeniedButton variant="outlined" why={NO_RIGHT} aria-label={`Approve ${name}`}>
          Approve
        </DeniedButton>
      </Box>
    );
  const send = async (approve: boolean): Promise<void> => {
    await decide({ input: { id, argumentsHash, approve, comment: comment.trim() || null } });
    changed(); // also after a refusal, because another approver may have decided first
  };
  return (
    <Box sx={{ display: 'grid', gap: 1 }}>
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
          onClick={() => void send(true)}
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
    </Box>
  );
}

const buttons = { display: 'flex', gap: 1 } as const;
