import { lazy, Suspense } from 'react';
import { Loading } from '../../components/loading.tsx';

// Loaded on demand, because it needs the Markdown parser.
const SenderGuide = lazy(() => import('./sender-guide.tsx'));

/** Setup steps of a sender, loaded on demand. */
export function SenderHelp(props: { type: string; name: string; address: string }) {
  return (
    <Suspense fallback={<Loading label="Loading the steps" height={160} />}>
      <SenderGuide {...props} />
    </Suspense>
  );
}
