import Box from '@mui/material/Box';
import Button, { type ButtonProps } from '@mui/material/Button';
import { useId, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { type Right, useRights } from './use-rights.ts';

/** A button for what not everybody may do. */
export function ActionButton({ needs, ...button }: ButtonProps & { needs: Right }) {
  const why = useRights().whyNot(needs);
  return why === null ? <AllowedButton {...button} /> : <RefusedButton {...button} why={why} />;
}

/** While it loads it is disabled, and the browser takes the keyboard away: it gets it back, unless that is elsewhere by then. */
function AllowedButton(button: ButtonProps) {
  const own = useRef<HTMLButtonElement>(null);
  const hadFocus = useRef(false);
  const loading = button.loading === true;
  useLayoutEffect(() => {
    if (!loading && hadFocus.current && document.activeElement === document.body) own.current?.focus();
    hadFocus.current = loading && document.activeElement === own.current;
  }, [loading]);
  return <Button {...button} ref={own} />;
}

/** In its place for who may not: it does nothing, and says why to pointers, fingers and keyboards. */
export function RefusedButton({ why, onClick: _, sx, ...button }: ButtonProps & { why: string }) {
  const [at, setAt] = useState<DOMRect | null>(null);
  const id = useId();
  const show = (event: { currentTarget: HTMLElement }): void =>
    setAt(event.currentTarget.getBoundingClientRect());
  const hide = (): void => setAt(null);
  return (
    <>
      <Button
        {...button}
        type="button"
        aria-disabled
        aria-describedby={at === null ? undefined : id}
        disableRipple
        disableElevation
        onFocus={show}
        onClick={show}
        onPointerEnter={show}
        onBlur={hide}
        onPointerLeave={hide}
        onKeyDown={(event) => event.key === 'Escape' && hide()}
        sx={[refused, ...(Array.isArray(sx) ? sx : [sx])]}
      />
      {/* Not within what may cut it off. */}
      {at === null
        ? null
        : createPortal(
            <Box role="tooltip" id={id} style={placeBelow(at)} sx={hint}>
              {why}
            </Box>,
            document.body,
          )}
    </>
  );
}

// Of what is said, in px; a phone is wider.
const WIDTH = 280;

/** Below a button; above it where there is no room, and never beyond the window's edges. */
function placeBelow({ left, right, top, bottom }: DOMRect) {
  const { clientWidth, clientHeight } = document.documentElement;
  const middle = (left + right) / 2 - WIDTH / 2;
  const x = Math.max(8, Math.min(middle, clientWidth - WIDTH - 8));
  const room = bottom + 80 < clientHeight;
  return { left: x, ...(room ? { top: bottom + 6 } : { bottom: clientHeight - top + 6 }) };
}

// One that is disabled hears no pointer and gets no focus: nobody would learn why.
const refused = {
  '&, &:hover': { color: 'text.disabled', borderColor: 'divider', bgcolor: 'transparent', cursor: 'default' },
  '&.MuiButton-contained, &.MuiButton-contained:hover': { bgcolor: 'action.disabledBackground' },
} as const;
const hint = {
  position: 'fixed',
  zIndex: 'tooltip',
  width: WIDTH,
  px: 1.25,
  py: 0.75,
  fontSize: '0.75rem',
  fontWeight: 500,
  textAlign: 'center',
  color: 'background.paper',
  bgcolor: 'text.primary',
  borderRadius: 1,
  pointerEvents: 'none',
} as const;
