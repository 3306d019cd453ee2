import Box from '@mui/material/Box';
import Button, { type ButtonProps } from '@mui/material/Button';
import { useId, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { type Right, useRights } from './use-rights.ts';

/** A button for an action that needs a right. Without the right, the button looks disabled and explains why. */
export function ActionButton({ needs, ...button }: ButtonProps & { needs: Right }) {
  const why = useRights().whyNot(needs);
  return why === null ? <AllowedButton {...button} /> : <DeniedButton {...button} why={why} />;
}

/** A button that regains the focus after loading, because browsers take the focus from a disabled button. */
function AllowedButton(button: ButtonProps) {
  const element = useRef<HTMLButtonElement>(null);
  const hadFocus = useRef(false);
  const loading = button.loading === true;
  useLayoutEffect(() => {
    if (!loading && hadFocus.current && document.activeElement === document.body) element.current?.focus();
    hadFocus.current = loading && document.activeElement === element.current;
  }, [loading]);
  return <Button {...button} ref={element} />;
}

/** A button that looks disabled, does nothing, and shows `why` on hover, touch and keyboard focus. */
export function DeniedButton({ why, onClick: _, sx, ...button }: ButtonProps & { why: string }) {
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
        sx={[deniedStyle, ...(Array.isArray(sx) ? sx : [sx])]}
      />
      {/* The hint is rendered in the body, so that no ancestor with hidden overflow clips it. */}
      {at === null
        ? null
        : createPortal(
            <Box role="tooltip" id={id} style={hintPosition(at)} sx={hint}>
              {why}
            </Box>,
            document.body,
          )}
    </>
  );
}

// Width of the hint (px), narrower than the screen of a phone.
const WIDTH = 280;

/** Returns the hint's position inside the window: below the button, or above if there is no room below. */
function hintPosition({ left, right, top, bottom }: DOMRect) {
  const { clientWidth, clientHeight } = document.documentElement;
  const middle = (left + right) / 2 - WIDTH / 2;
  const x = Math.max(8, Math.min(middle, clientWidth - WIDTH - 8));
  const room = bottom + 80 < clientHeight;
  return { left: x, ...(room ? { top: bottom + 6 } : { bottom: clientHeight - top + 6 }) };
}

// Imitates the `disabled` attribute. A button with the attribute gets no events or focus and could not
// explain itself.
const deniedStyle = {
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
