import Button, { type ButtonProps } from '@mui/material/Button';
import Tooltip from '@mui/material/Tooltip';
import { type Right, useRights } from './use-rights.ts';

/** A button for what not everybody may do. */
export function ActionButton({ needs, ...button }: ButtonProps & { needs: Right }) {
  const why = useRights().whyNot(needs);
  return why === null ? <Button {...button} /> : <RefusedButton {...button} why={why} />;
}

/** In its place for who may not: it does nothing, and says why to pointers, fingers and keyboards. */
export function RefusedButton({ why, onClick: _, sx, ...button }: ButtonProps & { why: string }) {
  return (
    <Tooltip title={why} describeChild enterTouchDelay={0}>
      <Button
        {...button}
        type="button"
        aria-disabled
        disableRipple
        disableElevation
        sx={[refused, ...(Array.isArray(sx) ? sx : [sx])]}
      />
    </Tooltip>
  );
}

// One that is disabled hears no pointer and gets no focus: nobody would learn why.
const refused = {
  '&, &:hover': { color: 'text.disabled', borderColor: 'divider', bgcolor: 'transparent', cursor: 'default' },
  '&.MuiButton-contained, &.MuiButton-contained:hover': { bgcolor: 'action.disabledBackground' },
} as const;
