import { lazy, Suspense, useState } from 'react';
import { ActionButton } from './action-button.tsx';
import { StopIcon } from './icons.tsx';

const CancelDialog = lazy(() => import('./cancel-dialog.tsx'));

/** A button that cancels a session after a confirmation. `name` identifies the session in the dialog. */
export function CancelButton({ sessionId, name }: { sessionId: string; name: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <ActionButton
        needs="REVIEW"
        color="error"
        variant="outlined"
        startIcon={<StopIcon />}
        aria-label={`Cancel ${name}`}
        onClick={() => setOpen(true)}
      >
        Cancel
      </ActionButton>
      {open ? (
        <Suspense>
          <CancelDialog sessionId={sessionId} name={name} close={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
