import { lazy, Suspense } from 'react';
import { Loading } from '../../components/loading.tsx';

// Few open it, and it brings the parser of Markdown.
const SenderGuide = lazy(() => import('./sender-guide.tsx'));

/** How a sender is set up; its text comes when it is opened. */
export function SenderHelp(props: { type: string; name: string; address: string }) {
  return (
    <Suspense fallback={<Loading label="Loading the steps" height={160} />}>
      <SenderGuide {...props} />
    </Suspense>
  );
}
