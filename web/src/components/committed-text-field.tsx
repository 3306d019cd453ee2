import TextField from '@mui/material/TextField';
import { useEffect, useState } from 'react';
import { isComposing } from '../lib/composing.ts';
import { filterField } from './multi-select.tsx';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly change: (text: string) => void;
  readonly maxLength: number;
  readonly wide?: boolean;
}

/** A filter for a complete name or id. Applies the text on Enter and when the focus leaves the field. */
export function CommittedTextField({ label, value, change, maxLength, wide = false }: Props) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const apply = (): void => {
    if (text.trim() !== value) change(text.trim());
  };
  return (
    <TextField
      label={label}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={apply}
      onKeyDown={(event) => event.key === 'Enter' && !isComposing(event.nativeEvent) && apply()}
      sx={wide ? wideField : filterField}
      slotProps={{ htmlInput: { maxLength, spellCheck: false } }}
    />
  );
}

const wideField = { width: { ...filterField.width, md: 200 } } as const;
