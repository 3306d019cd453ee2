import TextField from '@mui/material/TextField';
import { useId } from 'react';
import { RunbooksDocument } from '../../graphql/gen/lazy-documents.ts';
import { useQuery } from '../../graphql/use-query.ts';

interface Props {
  readonly value: string;
  readonly change: (value: string) => void;
  readonly error: string | undefined;
}

export function RunbookField({ value, change, error }: Props) {
  const [{ data }] = useQuery({ query: RunbooksDocument });
  const runbooks = data?.runbooks ?? [];
  const list = useId();
  const chosen = runbooks.find(({ url }) => url === value.trim());
  const hint =
    runbooks.length === 0
      ? 'Instructions for the agents.'
      : `Enter a URL, or choose one of ${runbooks.length} runbooks.`;
  return (
    <>
      <TextField
        label="Runbook URL (optional)"
        type="url"
        value={value}
        onChange={(event) => change(event.target.value)}
        error={error !== undefined}
        helperText={error ?? chosen?.name ?? hint}
        slotProps={{ htmlInput: { list } }}
      />
      <datalist id={list}>
        {runbooks.map(({ url, name }) => (
          <option key={url} value={url}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  );
}
