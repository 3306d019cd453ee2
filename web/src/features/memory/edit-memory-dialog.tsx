import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { useMutation } from 'urql';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { refusalText } from '../../components/notice.tsx';
import type { MemoryCategory, MemoryItemFragment } from '../../graphql/gen/documents.ts';
import { UpdateMemoryDocument } from '../../graphql/gen/lazy-documents.ts';
import { CATEGORIES } from './memory-labels.ts';

interface Props {
  readonly memory: MemoryItemFragment;
  readonly close: () => void;
  readonly changed: () => void;
}

const MAX_LENGTH = 1000;

export function EditMemoryDialog({ memory, close, changed }: Props) {
  const [content, setContent] = useState(memory.content);
  const [category, setCategory] = useState<MemoryCategory>(memory.category);
  const [deprecated, setDeprecated] = useState(memory.deprecated);
  const [{ fetching, data, error }, update] = useMutation(UpdateMemoryDocument);
  const result = data?.updateMemory;
  const refusal = refusalText(result, error);
  const confirm = async (): Promise<void> => {
    const input = {
      id: memory.id,
      ...(content === memory.content ? {} : { content }),
      ...(deprecated === memory.deprecated ? {} : { deprecated }),
      category,
    };
    const answer = await update({ input });
    if (answer.data?.updateMemory.__typename === 'UpdateMemorySuccess') changed();
  };
  return (
    <ConfirmDialog
      title="Edit memory"
      refusal={refusal}
      no="Cancel"
      yes="Save"
      sending={fetching}
      confirm={() => void confirm()}
      close={close}
    >
      <TextField
        label="Content"
        value={content}
        onChange={(event) => setContent(event.target.value)}
        multiline
        minRows={3}
        maxRows={12}
        fullWidth
        sx={{ mt: 1, minWidth: { sm: 460 } }}
        slotProps={{ htmlInput: { maxLength: MAX_LENGTH } }}
      />
      <TextField
        select
        label="Category"
        value={category}
        onChange={(event) => setCategory(event.target.value as MemoryCategory)}
        fullWidth
        sx={{ mt: 2 }}
      >
        {Object.entries(CATEGORIES).map(([value, label]) => (
          <MenuItem key={value} value={value}>
            {label}
          </MenuItem>
        ))}
      </TextField>
      <FormControlLabel
        sx={{ mt: 1 }}
        control={<Checkbox checked={deprecated} onChange={(event) => setDeprecated(event.target.checked)} />}
        label="Deprecated: never given to agents"
      />
    </ConfirmDialog>
  );
}
