import Box from '@mui/material/Box';
import { lazy, Suspense, useId, useRef, useState } from 'react';
import type { Choice } from './choice-list.tsx';

// Loaded when a menu opens, because menus are a large part of MUI's code.
const ChoiceList = lazy(() => import('./choice-list.tsx'));

export type ChoiceWidth = number | { readonly xs: string | number; readonly md: string | number };

interface Props {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly chosen: readonly string[];
  /** Allows any number of choices instead of exactly one. */
  readonly multiple?: boolean;
  readonly change: (chosen: string[]) => void;
  readonly opened?: (() => void) | undefined;
  /** Text shown for the selection; default: the chosen names. '' shows the label instead. */
  readonly valueText?: string;
  /** Width by window size, in the format of `sx`. */
  readonly width?: ChoiceWidth | undefined;
}

export function ChoiceField({
  label,
  choices,
  chosen,
  multiple = false,
  change,
  opened,
  valueText,
  width,
}: Props) {
  const [open, setOpen] = useState(false);
  const show = (): void => {
    setOpen(true);
    opened?.();
  };
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const names = choices.filter(({ value }) => chosen.includes(value)).map(({ name }) => name);
  const value = valueText ?? names.join(', ');
  const choose = (chosenValue: string): void => {
    if (!multiple) {
      setOpen(false);
      change([chosenValue]);
    } else
      change(
        chosen.includes(chosenValue)
          ? chosen.filter((other) => other !== chosenValue)
          : [...chosen, chosenValue],
      );
  };
  return (
    <Box sx={[frame, { width: width ?? filterWidth }]}>
      <Box
        component="button"
        type="button"
        role="combobox"
        ref={button}
        aria-label={label}
        aria-haspopup="listbox"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        disabled={choices.length === 0}
        onClick={show}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          show();
        }}
        sx={field}
      >
        <Box component="span" sx={[valueStyle, value === '' && { color: 'text.secondary' }]}>
          {value || label}
        </Box>
        <Box component="span" aria-hidden="true" sx={arrow} />
      </Box>
      {value === '' ? null : (
        <Box component="span" aria-hidden="true" sx={floatingLabel}>
          {label}
        </Box>
      )}
      {open ? (
        <Suspense>
          <ChoiceList
            id={id}
            label={label}
            anchor={button.current}
            choices={choices}
            chosen={chosen}
            multiple={multiple}
            choose={choose}
            close={() => setOpen(false)}
          />
        </Suspense>
      ) : null}
    </Box>
  );
}

const filterWidth = { xs: '100%', md: 128 } as const;

const frame = { position: 'relative', minWidth: 0 } as const;
const field = {
  display: 'flex',
  alignItems: 'center',
  gap: 0.5,
  width: '100%',
  height: 38,
  px: 1.5,
  font: 'inherit',
  fontSize: '0.9375rem',
  color: 'text.primary',
  textAlign: 'left',
  bgcolor: 'background.paper',
  border: '1px solid',
  borderColor: 'color-mix(in srgb, currentColor 25%, transparent)',
  borderRadius: 1,
  cursor: 'pointer',
  '&:hover:enabled': { borderColor: 'text.primary' },
  '&:disabled': { opacity: 0.55, cursor: 'default' },
} as const;
const valueStyle = {
  flex: 1,
  minWidth: 0,
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
} as const;
const arrow = {
  flex: 'none',
  width: 0,
  height: 0,
  borderInline: '4px solid transparent',
  borderTop: '5px solid currentColor',
  opacity: 0.6,
} as const;
const floatingLabel = {
  position: 'absolute',
  top: -8,
  left: 8,
  maxWidth: 'calc(100% - 16px)',
  px: 0.5,
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
  fontSize: '0.6875rem',
  lineHeight: '16px',
  color: 'text.secondary',
  bgcolor: 'background.paper',
  borderRadius: 0.5,
  pointerEvents: 'none',
} as const;
